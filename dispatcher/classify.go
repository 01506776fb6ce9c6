package dispatcher

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/oceanway/outbox/contracts"
)

// longestRef is what is kept of a consumer's reference.
const longestRef = 200

var errReceipt = errors.New("the receipt is of another type")

// Answer is everything that is known of one call.
type Answer struct {
	Status    int // 0: no answer came
	Header    http.Header
	Body      []byte
	Truncated bool  // the body is longer than what was read
	Err       error // why there is no answer, or not a whole one
}

// Verdict is what an answer means.
type Verdict struct {
	Kind    Kind
	Code    string // of a retryable or non-retryable verdict
	Ref     string // the consumer's opaque reference
	Ack     json.RawMessage
	Receipt json.RawMessage
	// RetryAfter is the delay the consumer asked for; Asked tells whether it did.
	RetryAfter time.Duration
	Asked      bool
}

// Receipt is what a delivery froze of the receipt that it wants.
type Receipt struct{ Type, SchemaVersion string }

// Classify gives the meaning of an answer to a delivery that wants this receipt; it looks at nothing
// else but the schemas and now, for a Retry-After date.
//
// Only a verdict that its schema accepts acknowledges (with status 200) or quarantines (with 200, 400,
// 409, 422, 429 or 503). Everything else is retried, under a code of its own: a wrong URL, an
// expired certificate or a proxy's error page never sends an event to quarantine, and a 2xx alone
// never acknowledges one. What only a schema that this release does not have could acknowledge is
// retried too: while an upgrade goes on, another dispatcher may have it.
func Classify(schemas *contracts.Registry, a Answer, wanted Receipt, now time.Time) Verdict {
	verdict := judge(schemas, a, wanted)
	if verdict.Kind == Retryable && !verdict.Asked {
		verdict.RetryAfter, verdict.Asked = retryAfter(a.Header, now)
	}
	return verdict
}

func judge(schemas *contracts.Registry, a Answer, wanted Receipt) Verdict {
	if a.Status == 0 || ownCode(a.Err) != "" {
		return retry(failure(a))
	}
	fallback := statusCode(a.Status)
	if !carriesVerdict(a.Status) {
		return retry(fallback)
	}
	if a.Err != nil || a.Truncated {
		if a.Status == http.StatusOK {
			return retry(failure(a))
		}
		return retry(fallback)
	}
	if !isJSON(a.Header) || len(a.Body) == 0 {
		return retry(fallback)
	}
	verdict, err := decodeVerdict(schemas, a.Body, wanted)
	switch {
	case errors.Is(err, contracts.ErrUnknownSchema) && a.Status == http.StatusOK:
		return retry(codeSchemaUnknown)
	case err != nil && a.Status == http.StatusOK:
		return retry(codeAckMalformed)
	case err != nil, verdict.Kind == Acknowledged && a.Status != http.StatusOK:
		return retry(fallback)
	}
	return verdict
}

// failure gives the code of an answer that did not come, or not whole.
func failure(a Answer) string {
	switch {
	case a.Err != nil:
		return transportCode(a.Err, a.Status != 0)
	case a.Truncated:
		return codeResponseTooLarge
	}
	return codeResponseUnreadable
}

func retry(code string) Verdict { return Verdict{Kind: Retryable, Code: code} }

// carriesVerdict tells whether a verdict in the body counts with this status.
func carriesVerdict(status int) bool {
	return slices.Contains([]int{200, 400, 409, 422, 429, 503}, status)
}

func isJSON(h http.Header) bool {
	mediaType, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && mediaType == "application/json"
}

// decodeVerdict reads an answer that the schema of answers accepts. One that it does not accept is not
// called malformed where the wanted receipt is unknown: by the schemas of a later release it may be right.
func decodeVerdict(schemas *contracts.Registry, body []byte, wanted Receipt) (Verdict, error) {
	schema := contracts.ReceiptSchema(wanted.Type, wanted.SchemaVersion)
	said, err := schemas.ParseVerdict(body)
	if err != nil {
		if _, known := schemas.Schema(schema); !known {
			err = fmt.Errorf("%w: %s", contracts.ErrUnknownSchema, schema)
		}
		return Verdict{}, err
	}
	if said.Result == contracts.Acknowledged {
		return decodeAcknowledged(schemas, said, wanted.Type, schema)
	}
	verdict := Verdict{Kind: Kind(said.Result), Code: said.ErrorCode, Ref: sanitise(said.ErrorRef, longestRef)}
	if said.RetryAfterMs > 0 {
		verdict.RetryAfter, verdict.Asked = duration(said.RetryAfterMs, time.Millisecond), true
	}
	return verdict, nil
}

// decodeAcknowledged wants acknowledgement and receipt to be of the frozen type and recomputes the
// receipt's digest by the frozen schema. A receipt that does not hash to what it and the acknowledgement say is retried under
// its own code: a redelivery returns the first receipt. The database checks all this too; the
// dispatcher does because its part of the contract is to hand over no receipt that it did not check,
// by an implementation that is not the database's. Whether they speak of this delivery is for the
// database alone to decide.
func decodeAcknowledged(schemas *contracts.Registry, said contracts.Verdict, receiptType, schema string) (Verdict, error) {
	sum, err := schemas.Digest(schema, said.Receipt)
	if err != nil {
		return Verdict{}, err
	}
	ack, err := schemas.ParseAck(said.Ack, receiptType)
	if err != nil {
		return Verdict{}, err
	}
	claimed, err := receiptClaim(receiptType, said.Receipt)
	if err != nil {
		return Verdict{}, err
	}
	computed := hex.EncodeToString(sum[:])
	if computed != claimed || computed != ack.AppliedReceipt.Digest {
		return retry(codeReceiptDigestMismatch), nil
	}
	return Verdict{Kind: Acknowledged, Ack: said.Ack, Receipt: said.Receipt}, nil
}

// receiptClaim gives the digest that a receipt of this type says it has. The schema has judged it by the
// destination that it names itself.
func receiptClaim(receiptType string, receipt []byte) (digest string, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(receipt, &members); err != nil {
		return "", errReceipt
	}
	if err := json.Unmarshal(members[contracts.ReceiptPrefix(receiptType)+"Digest"], &digest); err != nil {
		return "", errReceipt
	}
	return digest, nil
}

// sanitise makes a consumer's text fit for a column and a log: printable ASCII, not too long.
func sanitise(s string, limit int) string {
	clean := make([]byte, 0, min(len(s), limit))
	for _, r := range s {
		if len(clean) == limit {
			break
		}
		if r < ' ' || r > '~' {
			r = '?'
		}
		clean = append(clean, byte(r))
	}
	return string(clean)
}
