package dispatcher

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
)

const (
	operationsReceipt = contracts.OperationsProjectionAppliedReceipt

	anID     = "0192f3a1-0000-7000-8000-000000000001"
	aDigest  = "1212121212121212121212121212121212121212121212121212121212121212"
	retryIt  = `{"result":"retryable","errorCode":"revision_gap"}`
	refuseIt = `{"result":"non_retryable","errorCode":"schema_unknown"}`
)

// says is an answer that came whole.
func says(status int, body string, headers ...string) Answer {
	r := response(status, "", headers...)
	return Answer{Status: status, Header: r.Header, Body: []byte(body)}
}

func failed(err error) Answer { return Answer{Err: err} }

// cut is an answer whose body broke off.
func cut(status int, err error) Answer {
	return Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte("{"), Err: err}
}

func tooLong(status int) Answer {
	a := says(status, acknowledgement(anID, aDigest))
	a.Truncated = true
	return a
}

// verdictTests are grouped by what they are about: status, verdict, acknowledgement, transport.
type verdictTest struct {
	name   string
	answer Answer
	kind   Kind
	code   string
}

func TestClassifyStatusWithoutVerdict(t *testing.T) {
	const page = "<html>nope</html>"
	var tests []verdictTest
	for status, code := range map[int]string{
		100: codeHTTPUnexpectedStatus, 101: codeHTTPUnexpectedStatus, 199: codeHTTPUnexpectedStatus,
		200: codeAckMissing, 201: codeAckMissing, 202: codeAckMissing, 204: codeAckMissing, 206: codeAckMissing, 299: codeAckMissing,
		300: codeHTTPRedirect, 301: codeHTTPRedirect, 302: codeHTTPRedirect, 303: codeHTTPRedirect, 304: codeHTTPRedirect,
		307: codeHTTPRedirect, 308: codeHTTPRedirect,
		400: codeHTTPBadRequest, 401: codeHTTPUnauthorized, 402: codeHTTPClientError, 403: codeHTTPForbidden, 404: codeHTTPNotFound,
		405: codeHTTPMethodNotAllowed, 406: codeHTTPClientError, 407: codeHTTPClientError, 408: codeHTTPRequestTimeout,
		409: codeHTTPConflict, 410: codeHTTPGone, 411: codeHTTPClientError, 413: codeHTTPClientError, 415: codeHTTPClientError,
		422: codeHTTPUnprocessable, 425: codeHTTPClientError, 429: codeHTTPTooManyRequests, 451: codeHTTPClientError, 499: codeHTTPClientError,
		500: codeHTTPServerError, 501: codeHTTPServerError, 502: codeHTTPServerError, 503: codeHTTPServerError, 504: codeHTTPServerError,
		599: codeHTTPServerError, 600: codeHTTPUnexpectedStatus, 999: codeHTTPUnexpectedStatus, 1000: codeHTTPUnexpectedStatus,
	} {
		tests = append(tests,
			verdictTest{fmt.Sprint(status, " empty"), says(status, ""), Retryable, code},
			verdictTest{fmt.Sprint(status, " page"), says(status, page, "Content-Type", "text/html"), Retryable, code},
			verdictTest{fmt.Sprint(status, " no type"), Answer{Status: status, Body: []byte(page)}, Retryable, code},
		)
		if status != 200 {
			tests = append(tests,
				verdictTest{fmt.Sprint(status, " acknowledged"), says(status, acknowledgement(anID, aDigest)), Retryable, code},
				verdictTest{fmt.Sprint(status, " cut"), cut(status, io.ErrUnexpectedEOF), Retryable, code},
				verdictTest{fmt.Sprint(status, " too long"), tooLong(status), Retryable, code},
				verdictTest{fmt.Sprint(status, " broken"), says(status, refuseIt+"x"), Retryable, code},
			)
		}
		if !carriesVerdict(status) {
			tests = append(tests,
				verdictTest{fmt.Sprint(status, " refused"), says(status, refuseIt), Retryable, code},
				verdictTest{fmt.Sprint(status, " retryable"), says(status, retryIt), Retryable, code},
			)
		}
	}
	checkVerdicts(t, firstVersion(operationsReceipt), tests)
}

func TestClassifyVerdicts(t *testing.T) {
	var tests []verdictTest
	for _, status := range []int{200, 400, 409, 422, 429, 503} {
		tests = append(tests,
			verdictTest{fmt.Sprint(status, " retryable"), says(status, retryIt), Retryable, "revision_gap"},
			verdictTest{fmt.Sprint(status, " refused"), says(status, refuseIt), NonRetryable, "schema_unknown"},
			verdictTest{fmt.Sprint(status, " charset"), says(status, refuseIt, "Content-Type", "Application/JSON; charset=utf-8"),
				NonRetryable, "schema_unknown"},
			verdictTest{fmt.Sprint(status, " white space"), says(status, " \r\n\t"+refuseIt+"\n"), NonRetryable, "schema_unknown"},
			verdictTest{fmt.Sprint(status, " reference"), says(status, `{"result":"non_retryable","errorCode":"x","errorRef":"log 1"}`),
				NonRetryable, "x"},
		)
	}
	// The registry of codes is the database's: whatever it takes for a code is passed on.
	for _, code := range []string{"Not Registered", "é", strings.Repeat("x", 256), strings.Repeat("😀", 256)} {
		tests = append(tests,
			verdictTest{"refused as " + code, says(422, `{"result":"non_retryable","errorCode":"`+code+`"}`), NonRetryable, code},
			verdictTest{"later as " + code, says(503, `{"result":"retryable","errorCode":"`+code+`"}`), Retryable, code},
		)
	}
	// Whatever is not well-formed and closed neither acknowledges nor quarantines.
	for name, body := range map[string]string{
		"null":                  `null`,
		"number":                `1`,
		"string":                `"acknowledged"`,
		"array":                 `[` + refuseIt + `]`,
		"empty object":          `{}`,
		"two documents":         refuseIt + refuseIt,
		"truncated":             refuseIt[:len(refuseIt)-1],
		"trailing comma":        `{"result":"non_retryable","errorCode":"x",}`,
		"comment":               `{"result":"non_retryable",/* */"errorCode":"x"}`,
		"single quotes":         `{'result':'non_retryable','errorCode':'x'}`,
		"byte order mark":       "\ufeff" + refuseIt,
		"not UTF-8":             `{"result":"non_retryable","errorCode":"x` + "\xff" + `"}`,
		"lone surrogate":        `{"result":"non_retryable","errorCode":"x","errorRef":"\ud800"}`,
		"unknown result":        `{"result":"ok","errorCode":"x"}`,
		"result of other case":  `{"result":"Non_Retryable","errorCode":"x"}`,
		"name of other case":    `{"Result":"non_retryable","errorCode":"x"}`,
		"code of other case":    `{"result":"non_retryable","errorcode":"x"}`,
		"result null":           `{"result":null,"errorCode":"x"}`,
		"result missing":        `{"errorCode":"x"}`,
		"result twice":          `{"result":"retryable","result":"non_retryable","errorCode":"x"}`,
		"result twice escaped":  `{"result":"retryable","\u0072esult":"non_retryable","errorCode":"x"}`,
		"code missing":          `{"result":"non_retryable"}`,
		"code null":             `{"result":"non_retryable","errorCode":null}`,
		"code number":           `{"result":"non_retryable","errorCode":7}`,
		"code empty":            `{"result":"non_retryable","errorCode":""}`,
		"code twice":            `{"result":"non_retryable","errorCode":"x","errorCode":"x"}`,
		"code with line break":  `{"result":"non_retryable","errorCode":"x\ny"}`,
		"code with DEL":         `{"result":"non_retryable","errorCode":"x\u007f"}`,
		"code with C1":          `{"result":"non_retryable","errorCode":"x\u0085"}`,
		"code with NUL":         `{"result":"non_retryable","errorCode":"x\u0000"}`,
		"code too long":         `{"result":"non_retryable","errorCode":"` + strings.Repeat("x", 257) + `"}`,
		"reference number":      `{"result":"non_retryable","errorCode":"x","errorRef":7}`,
		"reference null":        `{"result":"non_retryable","errorCode":"x","errorRef":null}`,
		"unknown field":         `{"result":"non_retryable","errorCode":"x","detail":"y"}`,
		"retryAfterMs with it":  `{"result":"non_retryable","errorCode":"x","retryAfterMs":1}`,
		"ack with it":           `{"result":"non_retryable","errorCode":"x","ack":{}}`,
		"retry unknown field":   `{"result":"retryable","errorCode":"x","retryAfter":1}`,
		"retryAfterMs negative": `{"result":"retryable","errorCode":"x","retryAfterMs":-1}`,
		"retryAfterMs fraction": `{"result":"retryable","errorCode":"x","retryAfterMs":1.5}`,
		"retryAfterMs string":   `{"result":"retryable","errorCode":"x","retryAfterMs":"1"}`,
		"retryAfterMs null":     `{"result":"retryable","errorCode":"x","retryAfterMs":null}`,
		"retryAfterMs absurd":   `{"result":"retryable","errorCode":"x","retryAfterMs":1e300}`,
		"deep":                  strings.Repeat(`{"result":`, 100) + "1" + strings.Repeat("}", 100),
		"very deep":             strings.Repeat("[", 1<<20),
		"acknowledged bare":     `{"result":"acknowledged"}`,
		"acknowledged nulls":    `{"result":"acknowledged","ack":null,"receipt":null}`,
		"acknowledged empty":    `{"result":"acknowledged","ack":{},"receipt":{}}`,
	} {
		tests = append(tests,
			verdictTest{"200 " + name, says(200, body), Retryable, codeAckMalformed},
			verdictTest{"422 " + name, says(422, body), Retryable, codeHTTPUnprocessable},
			verdictTest{"503 " + name, says(503, body), Retryable, codeHTTPServerError},
		)
	}
	for _, mediaType := range []string{"", "text/plain", "text/html", "application/x-ndjson", "application/problem+json", "application/jsonx", "json", ";"} {
		tests = append(tests,
			verdictTest{"200 as " + mediaType, says(200, acknowledgement(anID, aDigest), "Content-Type", mediaType), Retryable, codeAckMissing},
			verdictTest{"422 as " + mediaType, says(422, refuseIt, "Content-Type", mediaType), Retryable, codeHTTPUnprocessable},
		)
	}
	checkVerdicts(t, firstVersion(operationsReceipt), tests)
}

func TestClassifyAcknowledgements(t *testing.T) {
	type change = func(string) string
	replace := func(old, with string) change {
		return func(body string) string { return strings.Replace(body, old, with, 1) }
	}
	replaceLast := func(old, with string) change { // the receipt comes after the acknowledgement
		return func(body string) string {
			at := strings.LastIndex(body, old)
			return body[:at] + with + body[at+len(old):]
		}
	}
	for _, destination := range everyDestination {
		var tests []verdictTest
		whole, kind, receiptType := acknowledgementOf(destination, anID, aDigest), fixture.AckKind(destination), receiptTypes()[destination]
		prefix := contracts.ReceiptPrefix(receiptType)
		for name, test := range map[string]struct {
			change change
			kind   Kind
			code   string
		}{
			"whole":                {func(s string) string { return s }, Acknowledged, ""},
			"receipt changed":      {replaceLast(aDigest, strings.Repeat("34", 32)), Retryable, codeReceiptDigestMismatch},
			"receipt's own time":   {func(s string) string { return ownTime(s, receiptType) }, Acknowledged, ""},
			"receipt's digest":     {func(s string) string { return swapDigest(s, prefix, true) }, Retryable, codeReceiptDigestMismatch},
			"ack's digest":         {func(s string) string { return swapDigest(s, prefix, false) }, Retryable, codeReceiptDigestMismatch},
			"unknown in receipt":   {replace(`"receipt":{`, `"receipt":{"extra":1,`), Retryable, codeAckMalformed},
			"missing in receipt":   {replaceLast(`"eventId":"`+anID+`",`, ``), Retryable, codeAckMalformed},
			"another kind":         {replace(`"kind":"`+kind, `"kind":"x`), Retryable, codeAckMalformed},
			"kind number":          {replace(`"kind":"`+kind+`"`, `"kind":1`), Retryable, codeAckMalformed},
			"kind missing":         {replace(`"kind":`, `"sort":`), Retryable, codeAckMalformed},
			"unknown field in ack": {replace(`"ack":{`, `"ack":{"more":1,`), Retryable, codeAckMalformed},
			"unknown in applied":   {replace(`"appliedReceipt":{`, `"appliedReceipt":{"more":1,`), Retryable, codeAckMalformed},
			"twice in ack":         {replace(`"ack":{`, `"ack":{"eventId":"x",`), Retryable, codeAckMalformed},
			"twice in receipt":     {replace(`"receipt":{`, `"receipt":{"eventId":"x",`), Retryable, codeAckMalformed},
			"event id number":      {replace(`"eventId":"`+anID+`"`, `"eventId":1`), Retryable, codeAckMalformed},
			"unknown field":        {replace(`"result"`, `"more":1,"result"`), Retryable, codeAckMalformed},
			"ack is a string":      {replace(`"ack":{`, `"ack":"x","_":{`), Retryable, codeAckMalformed},
			"number out of range":  {replace(`"receipt":{`, `"receipt":{"extra":1e400,`), Retryable, codeAckMalformed},
			"nested too deeply":    {replace(`"receipt":{`, `"receipt":{"extra":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`,`), Retryable, codeAckMalformed},
			"with an error code":   {replace(`"result"`, `"errorCode":"x","result"`), Retryable, codeAckMalformed},
		} {
			tests = append(tests, verdictTest{destination + " " + name, says(200, test.change(whole)), test.kind, test.code})
		}
		for _, other := range everyDestination {
			if other == destination {
				continue
			}
			_, receipt, _ := strings.Cut(acknowledgementOf(other, anID, aDigest), `"receipt":`)
			ack, _, _ := strings.Cut(whole, `"receipt":`)
			mixed := verdictTest{destination + " with the receipt of " + other, says(200, ack+`"receipt":`+receipt), Retryable, codeAckMalformed}
			tests = append(tests, mixed)
			checkVerdicts(t, firstVersion(receiptTypes()[other]), []verdictTest{
				mixed, {destination + " where " + other + " is frozen", says(200, whole), Retryable, codeAckMalformed},
			})
		}
		checkVerdicts(t, firstVersion(receiptType), tests)
	}
}

// TestClassifyWhereTheReceiptIsOfALaterRelease: what would acknowledge or be malformed is retried as unknown; all else
// means what it always means.
func TestClassifyWhereTheReceiptIsOfALaterRelease(t *testing.T) {
	for _, destination := range everyDestination {
		receiptType := receiptTypes()[destination]
		whole, prefix := acknowledgementOf(destination, anID, aDigest), contracts.ReceiptPrefix(receiptType)
		later := strings.ReplaceAll(whole, `"`+prefix+`SchemaVersion":"1"`, `"`+prefix+`SchemaVersion":"2"`)
		for _, wanted := range []Receipt{
			{receiptType, "2"}, {receiptType, ""}, {receiptType, "1.0"}, {"ReceiptOfALaterRelease", "1"}, {"", "1"}, {"../" + receiptType, "1"},
		} {
			name := fmt.Sprintf("%s where %s@%s is frozen: ", destination, wanted.Type, wanted.SchemaVersion)
			checkVerdicts(t, wanted, []verdictTest{
				{name + "this release's", says(200, whole), Retryable, codeSchemaUnknown},
				{name + "the later one's", says(200, later), Retryable, codeSchemaUnknown},
				{name + "changed", says(200, swapDigest(whole, prefix, true)), Retryable, codeSchemaUnknown},
				{name + "another result", says(200, `{"result":"applied"}`), Retryable, codeSchemaUnknown},
				{name + "with 503", says(503, whole), Retryable, codeHTTPServerError},
				{name + "refused", says(422, refuseIt), NonRetryable, "schema_unknown"},
				{name + "later", says(200, retryIt), Retryable, "revision_gap"},
				{name + "no JSON by its type", says(200, whole, "Content-Type", "text/plain"), Retryable, codeAckMissing},
				{name + "not found", says(404, ""), Retryable, codeHTTPNotFound},
			})
		}
		checkVerdicts(t, firstVersion(receiptType), []verdictTest{{destination + " with the later one's receipt", says(200, later), Retryable, codeAckMalformed}})
	}
}

// ownTime changes the receipt's own time, which its digest does not cover.
func ownTime(body, receiptType string) string {
	name := "committedAt"
	if receiptType == operationsReceipt {
		name = "appliedAt"
	}
	return strings.Replace(body, `"`+name+`":"2026-`, `"`+name+`":"2027-`, 1)
}

// swapDigest changes the digest of the receipt or of the acknowledgement, which comes first.
func swapDigest(body, prefix string, receipt bool) string {
	name := `"` + prefix + `Digest":"`
	at := strings.Index(body, name) + len(name)
	if receipt {
		at = strings.LastIndex(body, name) + len(name)
	}
	return body[:at] + strings.Repeat("0", 64) + body[at+64:]
}

// firstVersion is what the deliveries of the first release freeze.
func firstVersion(receiptType string) Receipt { return Receipt{Type: receiptType, SchemaVersion: "1"} }

// checkVerdicts classifies each answer to a delivery that froze this receipt.
func checkVerdicts(t *testing.T, frozen Receipt, tests []verdictTest) {
	t.Helper()
	for _, test := range tests {
		got := Classify(released(), test.answer, frozen, time.Now())
		if got.Kind != test.kind || got.Code != test.code {
			t.Errorf("%s: %s %q, want %s %q", test.name, got.Kind, got.Code, test.kind, test.code)
		}
		if (got.Kind == Acknowledged) != (len(got.Ack) > 0 && len(got.Receipt) > 0) {
			t.Errorf("%s: %s with ack %q and receipt %q", test.name, got.Kind, got.Ack, got.Receipt)
		}
	}
}

func TestClassifyRequestedDelay(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	const none = time.Duration(-1)
	header := func(status int, body, value string) Answer { return says(status, body, "Retry-After", value) }
	tests := []struct {
		name   string
		answer Answer
		want   time.Duration
	}{
		{"429", header(429, "", "7"), 7 * time.Second},
		{"503 date", header(503, "", "Sun, 01 Nov 2026 12:01:00 GMT"), time.Minute},
		{"404", header(404, "", "7"), 7 * time.Second},
		{"301", header(301, "", "7"), 7 * time.Second},
		{"200 malformed", header(200, "x", "7"), 7 * time.Second},
		{"negative", header(429, "", "-7"), none},
		{"garbage", header(429, "", "soon"), none},
		{"absent", says(429, ""), none},
		{"verdict", says(503, `{"result":"retryable","errorCode":"x","retryAfterMs":1500}`), 1500 * time.Millisecond},
		{"verdict first", header(503, `{"result":"retryable","errorCode":"x","retryAfterMs":1500}`, "7"), 1500 * time.Millisecond},
		{"verdict silent", header(503, `{"result":"retryable","errorCode":"x"}`, "7"), 7 * time.Second},
		{"verdict huge", says(200, `{"result":"retryable","errorCode":"x","retryAfterMs":9007199254}`), 9007199254 * time.Millisecond},
		{"verdict beyond", says(200, `{"result":"retryable","errorCode":"x","retryAfterMs":9007199254740991}`), math.MaxInt64},
		{"verdict not exact", header(200, `{"result":"retryable","errorCode":"x","retryAfterMs":9223372036854774784}`, "7"), 7 * time.Second},
		{"verdict malformed", header(200, `{"result":"retryable","errorCode":"x","retryAfterMs":-1}`, "7"), 7 * time.Second},
		{"refused", header(422, refuseIt, "7"), none},
		{"acknowledged", header(200, acknowledgement(anID, aDigest), "7"), none},
	}
	for _, test := range tests {
		v := Classify(released(), test.answer, firstVersion(operationsReceipt), now)
		got := v.RetryAfter
		if !v.Asked {
			got = none
		}
		if got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func FuzzClassifyNeverQuarantinesByAccident(f *testing.F) {
	for _, body := range []string{retryIt, refuseIt, acknowledgement(anID, aDigest), "", "[", `{"result":"non_retryable"}`} {
		f.Add(200, body)
		f.Add(422, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		v := Classify(released(), says(status, body), firstVersion(operationsReceipt), time.Now())
		said, err := released().ParseVerdict([]byte(body))
		if v.Kind != Retryable && (err != nil || string(v.Kind) != said.Result) {
			t.Errorf("%d %q: %s", status, body, v.Kind)
		}
		if v.Kind == Acknowledged && status != 200 {
			t.Errorf("%d acknowledged", status)
		}
		if v.Kind == Retryable && v.Code == "" {
			t.Errorf("%d %q: retried under no code", status, body)
		}
	})
}
