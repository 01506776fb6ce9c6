package consumers_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/internal/scenario"
)

// letter is one delivery ready to be posted.
type letter struct {
	kind     consumers.Kind
	consumer string
	eventID  string
	body     []byte

	projection string // target of a delivery to the projector
}

func consumerName(kind consumers.Kind) string {
	return map[consumers.Kind]string{
		consumers.KindOperations:  "operations_projector",
		consumers.KindMetering:    "metering_input_processor_consumer",
		consumers.KindCoordinator: "billing_finalization_coordinator_consumer",
		consumers.KindCatchUp:     "billing_settlement_catch_up_consumer",
	}[kind]
}

func newRun(t *testing.T, seed string, number int) scenario.Run {
	t.Helper()
	run, err := scenario.NewRun(released(), seed, number)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// write turns a scenario's event into a delivery; change, if any, may spoil the envelope first.
func write(t *testing.T, kind consumers.Kind, run scenario.Run, key string, change func(map[string]any)) letter {
	t.Helper()
	for _, transaction := range run.Life() {
		for _, event := range transaction.Events {
			if event.Key == key {
				return seal(t, kind, envelope(run, event, change))
			}
		}
	}
	t.Fatalf("the life has no event %q", key)
	return letter{}
}

func envelope(run scenario.Run, event scenario.Event, change func(map[string]any)) map[string]any {
	sum := sha256.Sum256([]byte(run.RunID + event.Key))
	e := map[string]any{
		"envelopeSchemaVersion": "1",
		"eventId":               fmt.Sprintf("%x-%x-7000-8000-%x", sum[:4], sum[4:6], sum[6:12]),
		"eventType":             event.Type, "eventSchemaVersion": event.Version,
		"aggregateId": event.AggregateID, "aggregateRevision": event.Revision,
		"tenantKind": "organization", "tenantId": run.TenantID, "workspaceId": run.WorkspaceID, "projectId": run.ProjectID,
		"actorPrincipalId": run.ActorID, "correlationId": run.CorrelationID, "operationId": event.Operation,
		"occurredAt": "2026-11-30T10:11:12.5Z", "payload": clone(event.Payload),
	}
	if event.Actor != "" {
		e["actorPrincipalId"] = event.Actor
	}
	if change != nil {
		change(e)
	}
	return e
}

// clone copies a JSON object, so that a test may spoil it.
func clone(payload map[string]any) map[string]any {
	raw, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}

func seal(t *testing.T, kind consumers.Kind, envelope map[string]any) letter {
	t.Helper()
	raw, err := json.Marshal(envelope)
	if err != nil {
		t.Fatal(err)
	}
	body, err := contracts.Canonical(raw)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := envelope["eventId"].(string)
	return letter{kind: kind, consumer: consumerName(kind), eventID: id, body: body, projection: "operations_read_model;1"}
}

func (l letter) digest() string {
	sum := sha256.Sum256(l.body)
	return hex.EncodeToString(sum[:])
}

func (l letter) request(ctx context.Context, url string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(string(l.body)))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Outbox-Destination", string(l.kind))
	r.Header.Set("Outbox-Consumer", l.consumer)
	r.Header.Set("Outbox-Attempt-Id", "0197f000-0000-7000-8000-000000000001")
	r.Header.Set("Outbox-Attempt-Count", "1")
	r.Header.Set("Outbox-Delivery-Set", "first;jcs-sha256-v1="+strings.Repeat("ab", 32))
	r.Header.Set("Outbox-Envelope-Digest", "jcs-sha256-v1="+l.digest())
	if l.kind == consumers.KindOperations {
		r.Header.Set("Outbox-Projection", l.projection)
	}
	return r
}

// post delivers a letter to a handler and returns the answer.
func post(t *testing.T, handler http.Handler, l letter) (int, []byte) {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, l.request(t.Context(), "http://consumer.test/"))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, body
}

// acknowledged delivers a letter, wants an acknowledgement that verifies, and returns the receipt.
func acknowledged(t *testing.T, handler http.Handler, l letter) map[string]any {
	t.Helper()
	status, body := post(t, handler, l)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	verdict, err := released().ParseVerdict(body)
	if err != nil {
		t.Fatal(err)
	}
	ack, err := released().ParseAck(verdict.Ack, l.kind.ReceiptType())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "ack kind", ack.AppliedReceipt.Kind, l.kind.AckKind())
	receiptType := l.kind.ReceiptType()
	sum, err := released().Digest(contracts.ReceiptSchema(receiptType, "1"), verdict.Receipt)
	if err != nil {
		t.Fatal(err)
	}
	var receipt map[string]any
	if err := json.Unmarshal(verdict.Receipt, &receipt); err != nil {
		t.Fatal(err)
	}
	prefix := contracts.ReceiptPrefix(receiptType)
	equal(t, "receipt digest", receipt[prefix+"Digest"], any(hex.EncodeToString(sum[:])))
	equal(t, "ack digest", ack.AppliedReceipt.Digest, hex.EncodeToString(sum[:]))
	equal(t, "ack ref", any(ack.AppliedReceipt.Ref), receipt[prefix+"Ref"])
	equal(t, "ack destination", ack.Destination, string(l.kind))
	equal(t, "ack consumer", ack.ConsumerName, l.consumer)
	equal(t, "ack event", ack.EventID, l.eventID)
	equal(t, "ack envelope digest", ack.EventEnvelopeSha256, l.digest())
	return receipt
}

// refused delivers a letter and wants this result and code.
func refused(t *testing.T, handler http.Handler, l letter, result, code string) {
	t.Helper()
	_, body := post(t, handler, l)
	verdict, err := released().ParseVerdict(body)
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	equal(t, "result", verdict.Result, result)
	equal(t, "code", verdict.ErrorCode, code)
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// dig follows a path of names into an object.
func dig(t *testing.T, object map[string]any, path ...string) any {
	t.Helper()
	var value any = object
	for _, name := range path {
		inner, ok := value.(map[string]any)
		if !ok {
			t.Fatalf("nothing at %v", path)
		}
		value = inner[name]
	}
	return value
}

func receiver(t *testing.T, kind consumers.Kind, options consumers.ReceiverOptions) *consumers.Receiver {
	t.Helper()
	options.Schemas = released()
	r, err := consumers.NewReceiver(kind, options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// released are the schemas of this release.
var released = sync.OnceValue(func() *contracts.Registry {
	schemas, err := contracts.Load()
	if err != nil {
		panic(err)
	}
	return schemas
})
