package consumers

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/oceanway/outbox/contracts"
)

func derived(t *testing.T) identities {
	t.Helper()
	schemas, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	return identities{schemas}
}

func operationsDelivery(eventType string, payload map[string]any) Delivery {
	return Delivery{
		Projection: Projection{Name: "operations_read_model", Version: "7"},
		Digest:     "00",
		Envelope: Envelope{
			Envelope: contracts.Envelope{
				EventID: "0197f000-0000-7000-8000-000000000001", EventType: eventType, EventSchemaVersion: "1",
				AggregateID: "rsv_1", AggregateRevision: 2,
			},
			Payload: payload,
		},
	}
}

// The database adds the reference, the digest and appliedAt; everything else of OperationsProjectionAppliedReceipt@1
// must be in the candidate, and nothing more.
func TestOperationsCandidateFields(t *testing.T) {
	candidate := operationsCandidate(operationsDelivery(caseResolutionApplied, nil))
	want := []string{
		"consumerName", "destination", "eventEnvelopeDigestAlgorithmVersion", "eventEnvelopeSha256", "eventId", "eventSchemaVersion",
		"eventType", "operationsProjectionAppliedReceiptDigestAlgorithmVersion", "operationsProjectionAppliedReceiptSchemaVersion",
		"projectionName", "projectionVersion",
	}
	if got := slices.Sorted(maps.Keys(candidate)); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if candidate["projectionVersion"] != "7" {
		t.Error("the projection is not the one the delivery froze")
	}
}

func TestFinalizationBringsItsDimensionsAlong(t *testing.T) {
	payload := map[string]any{
		"billingReservationId": "rsv_1",
		"dimensionCommitments": []any{map[string]any{
			"runStepId": "step_1", "executionAttemptId": "att_1", "chargeDimensionKey": "tokens",
			"resultingDimensionStateRevision": json.Number("1"),
		}},
	}
	steps, err := advances(derived(t), operationsDelivery(finalizationCommitted, payload).Envelope)
	want := []advance{{"rsv_1", 2}, {"6a9f09db-df7b-8b98-b0fb-8ddb3161b0dd", 1}}
	if err != nil || !slices.Equal(steps, want) {
		t.Errorf("got %v, %v", steps, err)
	}
	delete(payload["dimensionCommitments"].([]any)[0].(map[string]any), "runStepId")
	if _, err := advances(derived(t), operationsDelivery(finalizationCommitted, payload).Envelope); err == nil {
		t.Error("a commitment without a step was accepted")
	}
}

func TestOtherEventsMoveTheirOwnAggregate(t *testing.T) {
	steps, err := advances(derived(t), operationsDelivery(walletReserved, nil).Envelope)
	if err != nil || !slices.Equal(steps, []advance{{"rsv_1", 2}}) {
		t.Errorf("got %v, %v", steps, err)
	}
}

// The fence has no namespace in the contracts, but producers and consumers agree on it all the same.
func TestFenceIsStable(t *testing.T) {
	if got, want := FinalizationFenceID("a", "b"), "fence_686387bd-f762-5c15-b0dc-b6b97359d2fe"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
