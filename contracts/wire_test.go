package contracts_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
)

func TestCanonicalSortsByUTF16AndWritesNumbersAsECMAScript(t *testing.T) {
	for doc, want := range map[string]string{
		`{"b":1,"a":[ 1.0, -0, 1e20, 1e21, 0.000001, 1e-7 ]}`: `{"a":[1,0,100000000000000000000,1e+21,0.000001,1e-7],"b":1}`,
		// U+1F600 is D83D DE00 in UTF-16 and so before U+FB33, which a code point order would reverse.
		`{"\ufb33":1,"😀":2}`: `{"😀":2,"` + "\ufb33" + `":1}`,
		`"\u20ac<&>\u000f"`:  `"€<&>\u000f"`,
	} {
		got, err := contracts.Canonical([]byte(doc))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", doc, got, err, want)
		}
	}
}

func TestCanonicalRefusesWithoutQuoting(t *testing.T) {
	for _, doc := range []string{
		``, `{`, `{"secret":1,"secret":2}`, `"\ud800secret"`, `"\udc00\ud800"`, "\"secret\xff\"", `1e400`, `{"a":secret}`, `1 secret`,
	} {
		got, err := contracts.Canonical([]byte(doc))
		if !errors.Is(err, contracts.ErrNoCanonicalForm) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %q, %v", doc, got, err)
		}
	}
	if _, err := contracts.Canonical(nil); !errors.Is(err, contracts.ErrNoCanonicalForm) {
		t.Errorf("nil: %v", err)
	}
}

func TestReceiptDigestLeavesOutRefDigestAndTime(t *testing.T) {
	for receiptType, names := range map[string][3]string{
		contracts.OperationsProjectionAppliedReceipt:            {"operationsProjectionAppliedReceipt", "appliedAt", "committedAt"},
		contracts.MeteringInputProcessorConsumerReceipt:         {"meteringInputProcessorConsumerReceipt", "committedAt", "appliedAt"},
		contracts.BillingFinalizationCoordinatorConsumerReceipt: {"billingFinalizationCoordinatorConsumerReceipt", "committedAt", "appliedAt"},
		contracts.BillingSettlementCatchUpConsumerReceipt:       {"billingSettlementCatchUpConsumerReceipt", "committedAt", "appliedAt"},
	} {
		prefix, ownTime, foreignTime := names[0], names[1], names[2]
		if got := contracts.ReceiptPrefix(receiptType); got != prefix {
			t.Errorf("prefix of %s is %s", receiptType, got)
		}
		receipt := `{"` + prefix + `Ref":"r","` + prefix + `Digest":"d","` + ownTime + `":"t","` + foreignTime + `":"kept<","eventId":"e"}`
		got, err := contracts.ReceiptDigest(receiptType, []byte(receipt))
		want := contracts.Sum([]byte(`{"` + foreignTime + `":"kept<","eventId":"e"}`))
		if err != nil || got != want {
			t.Errorf("%s: got %x, %v, want %x", receiptType, got, err, want)
		}
	}
	if _, err := contracts.ReceiptDigest(contracts.OperationsProjectionAppliedReceipt, []byte(`[]`)); err == nil {
		t.Error("an array passed for a receipt")
	}
}

func TestAckSurvivesTheRoundTrip(t *testing.T) {
	for _, receiptType := range []string{
		contracts.OperationsProjectionAppliedReceipt, contracts.MeteringInputProcessorConsumerReceipt,
		contracts.BillingFinalizationCoordinatorConsumerReceipt, contracts.BillingSettlementCatchUpConsumerReceipt,
		"ReceiptOfALaterRelease",
	} {
		ack := contracts.ActiveConsumerAck{
			Destination: "d", ConsumerName: "c", EventID: "e",
			EventEnvelopeDigestAlgorithmVersion: contracts.DigestAlgorithm, EventEnvelopeSha256: strings.Repeat("a", 64),
			AppliedReceipt: contracts.AppliedReceipt{
				ReceiptType: receiptType, Kind: "k", Ref: "r", SchemaVersion: "1",
				DigestAlgorithmVersion: contracts.DigestAlgorithm, Digest: hex.EncodeToString([]byte("x")),
			},
		}
		wire, err := json.Marshal(ack)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(wire), `"`+contracts.ReceiptPrefix(receiptType)+`SchemaVersion":"1"`) {
			t.Errorf("the receipt's members lack their prefix: %s", wire)
		}
		back, err := contracts.ParseAck(wire, receiptType)
		if err != nil || back != ack {
			t.Errorf("%s: got %+v, %v", receiptType, back, err)
		}
	}
}

func TestAckRefusesMixedBranches(t *testing.T) {
	const valid = `{"destination":"d","consumerName":"c","eventId":"e","eventEnvelopeDigestAlgorithmVersion":"a","eventEnvelopeSha256":"s",
		"appliedReceipt":{"kind":"operations_projection","operationsProjectionAppliedReceiptRef":"r","operationsProjectionAppliedReceiptSchemaVersion":"1",
		"operationsProjectionAppliedReceiptDigestAlgorithmVersion":"a","operationsProjectionAppliedReceiptDigest":"d"}}`
	if _, err := contracts.ParseAck([]byte(valid), contracts.OperationsProjectionAppliedReceipt); err != nil {
		t.Fatal(err)
	}
	if ack, err := contracts.ParseAck([]byte(valid), contracts.MeteringInputProcessorConsumerReceipt); err == nil {
		t.Errorf("an acknowledgement of another receipt type was accepted: %+v", ack)
	}
	for name, change := range map[string][2]string{
		"kind is a number":  {`"operations_projection"`, `1`},
		"kind is missing":   {`"kind":"operations_projection",`, ``},
		"member of another": {`"operationsProjectionAppliedReceiptRef"`, `"meteringInputProcessorConsumerReceiptRef"`},
		"unknown member":    {`"destination"`, `"note":"x","destination"`},
		"missing member":    {`"consumerName":"c",`, ``},
		"null":              {`"eventId":"e"`, `"eventId":null`},
		"number":            {`"eventId":"e"`, `"eventId":1`},
		"other case":        {`"eventId"`, `"eventID"`},
		"receipt is null":   {`"appliedReceipt":{`, `"appliedReceipt":null,"x":{`},
	} {
		broken := strings.Replace(valid, change[0], change[1], 1)
		if ack, err := contracts.ParseAck([]byte(broken), contracts.OperationsProjectionAppliedReceipt); err == nil {
			t.Errorf("%s was accepted: %+v", name, ack)
		}
	}
}

func TestVerdictIsClosedForEachResult(t *testing.T) {
	accepted := map[string]contracts.Verdict{
		`{"result":"acknowledged","receipt":{"b":1,"a":2},"ack":{}}`: {
			Result: contracts.Acknowledged, Ack: json.RawMessage(`{}`), Receipt: json.RawMessage(`{"a":2,"b":1}`),
		},
		`{"result":"retryable","errorCode":"c","retryAfterMs":1500}`: {Result: contracts.Retryable, ErrorCode: "c", RetryAfterMs: 1500},
		`{"result":"retryable","errorCode":"c"}`:                     {Result: contracts.Retryable, ErrorCode: "c"},
		`{"result":"non_retryable","errorCode":"c","errorRef":"r"}`:  {Result: contracts.NonRetryable, ErrorCode: "c", ErrorRef: "r"},
	}
	for doc, want := range accepted {
		if got, err := contracts.ParseVerdict([]byte(doc)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", doc, got, err)
		}
	}
	for _, doc := range []string{
		``, `null`, `[]`, `"acknowledged"`, `{}`, `{"result":"ok"}`, `{"result":null}`,
		`{"result":"acknowledged"}`, `{"result":"acknowledged","ack":null,"receipt":{}}`,
		`{"result":"acknowledged","ack":{},"receipt":"{}"}`, `{"result":"acknowledged","ack":{},"receipt":{},"errorCode":"c"}`,
		`{"result":"acknowledged","ack":{},"ack":{},"receipt":{}}`,
		`{"result":"retryable"}`, `{"result":"retryable","errorCode":"c","retryAfterMs":-1}`,
		`{"result":"retryable","errorCode":"c","retryAfterMs":"1"}`, `{"result":"retryable","errorCode":"c","retryAfterMs":1.5}`,
		`{"result":"retryable","errorCode":"c","retryAfterMs":null}`, `{"result":"retryable","errorCode":"c","retryAfterMs":1e30}`,
		`{"result":"retryable","errorCode":1}`, `{"result":"non_retryable","errorCode":"c","retryAfterMs":1}`,
		`{"Result":"retryable","errorCode":"c"}`, `{"result":"retryable","errorCode":"c"} {}`,
	} {
		if got, err := contracts.ParseVerdict([]byte(doc)); err == nil {
			t.Errorf("%s was accepted: %+v", doc, got)
		}
	}
}

func TestEnvelopeSurvivesTheRoundTripAndIsClosed(t *testing.T) {
	envelope := contracts.Envelope{
		EnvelopeSchemaVersion: "1", EventID: "e", EventType: "run.created@2.0", EventSchemaVersion: "2.0", AggregateID: "a",
		AggregateRevision: 1<<53 - 1, TenantKind: "organization", TenantID: "t", WorkspaceID: "w", CorrelationID: "c",
		CausationID: "cause", OperationID: "o", OccurredAt: "2026-11-30T00:00:00Z", Payload: json.RawMessage(`{"a":"<"}`),
	}
	wire, err := json.Marshal(envelope)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := contracts.ParseEnvelope(wire); err != nil || !reflect.DeepEqual(back, envelope) {
		t.Errorf("got %+v, %v", back, err)
	}
	for name, change := range map[string][2]string{
		"unknown member":  {`"tenantId"`, `"tenant":"x","tenantId"`},
		"missing member":  {`"tenantId":"t",`, ``},
		"null optional":   {`"causationId":"cause"`, `"causationId":null`},
		"text revision":   {`"aggregateRevision":9007199254740991`, `"aggregateRevision":"1"`},
		"payload is text": {`"payload":{`, `"payload":"{}","x":{`},
	} {
		if _, err := contracts.ParseEnvelope([]byte(strings.Replace(string(wire), change[0], change[1], 1))); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	var shape *contracts.ShapeError
	_, err = contracts.ParseEnvelope([]byte(strings.Replace(string(wire), `"tenantId":"t"`, `"tenantId":7`, 1)))
	if !errors.As(err, &shape) || shape.Path != "/tenantId" {
		t.Errorf("the path is not named: %v", err)
	}
}

func FuzzCanonicalIsAFixedPoint(f *testing.F) {
	for _, seed := range []string{`{"b":[1e3,"\u0041"],"a":null}`, `"\ud83d\ude00"`, `[[],{}]`, `-0.1`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		once, err := contracts.Canonical(doc)
		if err != nil {
			return
		}
		if !json.Valid(once) {
			t.Fatalf("%q became broken JSON %q", doc, once)
		}
		twice, err := contracts.Canonical(once)
		if err != nil || string(twice) != string(once) {
			t.Fatalf("%q became %q, then %q, %v", doc, once, twice, err)
		}
	})
}

func FuzzParsersNeverPanic(f *testing.F) {
	f.Add([]byte(`{"result":"retryable","errorCode":"c"}`))
	f.Add([]byte(`{"appliedReceipt":{"kind":"operations_projection"}}`))
	const receiptType = contracts.OperationsProjectionAppliedReceipt
	f.Fuzz(func(t *testing.T, doc []byte) {
		verdict, err := contracts.ParseVerdict(doc)
		if err == nil && verdict.Result == "" {
			t.Fatalf("%q has no result", doc)
		}
		if ack, err := contracts.ParseAck(doc, receiptType); err == nil && len(doc) < 100 {
			t.Fatalf("%q is too short for %+v", doc, ack)
		}
		if _, err := contracts.ParseEnvelope(doc); err == nil && len(doc) < 100 {
			t.Fatalf("%q is too short for an envelope", doc)
		}
	})
}
