package contracts_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/goldens"
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
	r := registry(t)
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
		got, err := r.Digest(contracts.ReceiptSchema(receiptType, "1"), []byte(receipt))
		want := contracts.Sum([]byte(`{"` + foreignTime + `":"kept<","eventId":"e"}`))
		if err != nil || got != want {
			t.Errorf("%s: got %x, %v, want %x", receiptType, got, err, want)
		}
	}
	if _, err := r.Digest("OperationsProjectionAppliedReceipt@1", []byte(`[]`)); err == nil {
		t.Error("an array passed for a receipt")
	}
}

func TestReceiptDigestNeedsAReleasedType(t *testing.T) {
	r := registry(t)
	for _, receiptType := range []string{"", "ReceiptOfALaterRelease", "../schemas/OperationsProjectionAppliedReceipt"} {
		if _, err := r.Digest(contracts.ReceiptSchema(receiptType, "1"), []byte(`{}`)); !errors.Is(err, contracts.ErrUnknownSchema) {
			t.Errorf("%q: %v", receiptType, err)
		}
	}
	if _, err := r.Digest("ConsumerVerdict@1", []byte(`{}`)); !errors.Is(err, contracts.ErrNoDigest) {
		t.Errorf("a schema without a digest: %v", err)
	}
}

// anAck is an acknowledgement that rests on a receipt of this type.
func anAck(receiptType, kind, destination, consumer string) contracts.ActiveConsumerAck {
	return contracts.ActiveConsumerAck{
		Destination: destination, ConsumerName: consumer, EventID: "0192f3a1-0000-7000-8000-000000000001",
		EventEnvelopeDigestAlgorithmVersion: contracts.DigestAlgorithm, EventEnvelopeSha256: strings.Repeat("a", 64),
		AppliedReceipt: contracts.AppliedReceipt{
			ReceiptType: receiptType, Kind: kind, Ref: "r", SchemaVersion: "1",
			DigestAlgorithmVersion: contracts.DigestAlgorithm, Digest: strings.Repeat("b", 64),
		},
	}
}

func acks() []contracts.ActiveConsumerAck {
	return []contracts.ActiveConsumerAck{
		anAck(contracts.OperationsProjectionAppliedReceipt, "operations_projection", "core_operations", "operations_projector"),
		anAck(contracts.MeteringInputProcessorConsumerReceipt, "metering_input_processor", "metering_input_processor", "metering_input_processor_consumer"),
		anAck(contracts.BillingFinalizationCoordinatorConsumerReceipt, "billing_finalization_coordinator", "billing_finalization_coordinator",
			"billing_finalization_coordinator_consumer"),
		anAck(contracts.BillingSettlementCatchUpConsumerReceipt, "billing_settlement_catch_up", "billing_settlement_catch_up",
			"billing_settlement_catch_up_consumer"),
	}
}

func TestAckSurvivesTheRoundTrip(t *testing.T) {
	r := registry(t)
	for _, ack := range acks() {
		receiptType := ack.AppliedReceipt.ReceiptType
		wire, err := json.Marshal(ack)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(wire), `"`+contracts.ReceiptPrefix(receiptType)+`SchemaVersion":"1"`) {
			t.Errorf("the receipt's members lack their prefix: %s", wire)
		}
		if back, err := r.ParseAck(wire, receiptType); err != nil || back != ack {
			t.Errorf("%s: got %+v, %v", receiptType, back, err)
		}
		for _, other := range acks() {
			if wanted := other.AppliedReceipt.ReceiptType; wanted != receiptType {
				if got, err := r.ParseAck(wire, wanted); !errors.Is(err, contracts.ErrOtherReceipt) || got != (contracts.ActiveConsumerAck{}) {
					t.Errorf("an acknowledgement of a %s passed for one of a %s: %+v, %v", receiptType, wanted, got, err)
				}
			}
		}
	}
}

func TestParsersRefuseWhatTheSchemaRefuses(t *testing.T) {
	r := registry(t)
	wire, err := json.Marshal(acks()[0])
	if err != nil {
		t.Fatal(err)
	}
	for change, place := range map[[2]string]string{
		{`"operations_projection"`, `1`}:            "/appliedReceipt/kind",
		{`"destination"`, `"n/":"x","destination"`}: "/n~1",
		{`"eventId":"0`, `"eventId":null,"x":"0`}:   "/eventId",
		{`"eventId"`, `"eventID"`}:                  "/eventID",
	} {
		var broken *contracts.ViolationError
		_, err := r.ParseAck([]byte(strings.Replace(string(wire), change[0], change[1], 1)), contracts.OperationsProjectionAppliedReceipt)
		if !errors.As(err, &broken) || broken.Schema != contracts.AckSchema || broken.Violations[0].Path != place {
			t.Errorf("%v: %v", change, err)
		}
	}
	for _, doc := range []string{``, `null`, `{"result":"ok"}`, `{"Result":"retryable","errorCode":"c"}`, `{"result":"retryable","errorCode":"c"} {}`} {
		if got, err := r.ParseVerdict([]byte(doc)); err == nil {
			t.Errorf("%s was accepted: %+v", doc, got)
		}
		if got, err := r.ParseEnvelope([]byte(doc)); err == nil {
			t.Errorf("%s was accepted: %+v", doc, got)
		}
	}
}

func TestVerdictsAreDecoded(t *testing.T) {
	r := registry(t)
	for doc, want := range map[string]contracts.Verdict{
		`{"result":"retryable","errorCode":"c","retryAfterMs":15e2}`: {Result: contracts.Retryable, ErrorCode: "c", RetryAfterMs: 1500},
		`{"result":"retryable","errorCode":"c"}`:                     {Result: contracts.Retryable, ErrorCode: "c"},
		`{"result":"non_retryable","errorCode":"c","errorRef":"r"}`:  {Result: contracts.NonRetryable, ErrorCode: "c", ErrorRef: "r"},
	} {
		if got, err := r.ParseVerdict([]byte(doc)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", doc, got, err)
		}
	}
	for _, golden := range goldens.ReadValid(t, "goldens") {
		if golden.Schema != contracts.VerdictSchema {
			continue
		}
		verdict, err := r.ParseVerdict(golden.Document)
		if err != nil {
			t.Errorf("%s: %v", golden.Name, err)
		}
		written, err := json.Marshal(verdict)
		if err != nil {
			t.Fatal(err)
		}
		wire := strings.Replace(string(golden.Canonical), `,"retryAfterMs":0`, "", 1) // the same as none
		if again, err := contracts.Canonical(written); err != nil || string(again) != wire {
			t.Errorf("%s: something was lost: %s, %v", golden.Name, again, err)
		}
	}
}

func TestEnvelopesAreDecoded(t *testing.T) {
	r := registry(t)
	for _, golden := range goldens.ReadValid(t, "goldens") {
		if golden.Schema != contracts.EnvelopeSchema {
			continue
		}
		envelope, err := r.ParseEnvelope(golden.Document)
		if err != nil {
			t.Errorf("%s: %v", golden.Name, err)
		}
		written, err := json.Marshal(envelope)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := contracts.Canonical(written); err != nil || string(again) != string(golden.Canonical) {
			t.Errorf("%s: something was lost: %s, %v", golden.Name, again, err)
		}
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
	r := registry(f)
	f.Add([]byte(`{"result":"retryable","errorCode":"c"}`))
	f.Add([]byte(`{"appliedReceipt":{"kind":"operations_projection"}}`))
	const receiptType = contracts.OperationsProjectionAppliedReceipt
	f.Fuzz(func(t *testing.T, doc []byte) {
		verdict, err := r.ParseVerdict(doc)
		if err == nil && verdict.Result == "" {
			t.Fatalf("%q has no result", doc)
		}
		if ack, err := r.ParseAck(doc, receiptType); err == nil && len(doc) < 100 {
			t.Fatalf("%q is too short for %+v", doc, ack)
		}
		if _, err := r.ParseEnvelope(doc); err == nil && len(doc) < 100 {
			t.Fatalf("%q is too short for an envelope", doc)
		}
	})
}
