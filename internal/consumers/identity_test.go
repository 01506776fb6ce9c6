package consumers_test

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
)

// pick takes the named members of an object, those that it has.
func pick(from map[string]any, names ...string) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		if value, ok := from[name]; ok {
			out[name] = value
		}
	}
	return out
}

// join is one object with the members of all.
func join(objects ...map[string]any) map[string]any {
	out := map[string]any{}
	for _, object := range objects {
		maps.Copy(out, object)
	}
	return out
}

func child(t *testing.T, object map[string]any, path ...string) map[string]any {
	t.Helper()
	inner, ok := dig(t, object, path...).(map[string]any)
	if !ok {
		t.Fatalf("no object at %v", path)
	}
	return inner
}

func derive(t *testing.T, namespace string, candidate map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(candidate)
	if err != nil {
		t.Fatal(err)
	}
	id, err := released().DeriveID(namespace, raw)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func digestOf(t *testing.T, object map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := contracts.Canonical(raw)
	if err != nil {
		t.Fatal(err)
	}
	sum := contracts.Sum(canonical)
	return hex.EncodeToString(sum[:])
}

func TestMeteringOperationsAreDerived(t *testing.T) {
	run := newRun(t, "identity", 1)
	r := receiver(t, consumers.KindMetering, consumers.ReceiverOptions{})
	acknowledged(t, r, write(t, consumers.KindMetering, run, "eligibility", nil))
	for key, prefix := range map[string]string{"usage": "eligibilityTrigger", "cost": "providerCostTrigger"} {
		lane := child(t, acknowledged(t, r, write(t, consumers.KindMetering, run, key, nil)), "lane")
		work := child(t, lane, "coordinationState", "activeWork")
		want := derive(t, "metering_input_work_operation", map[string]any{
			"executionAttemptId":                run.AttemptID,
			"lane":                              pick(lane, "kind", "gatewayDeploymentId", "sourceEvidenceDimensionKey"),
			"workGeneration":                    work["workGeneration"],
			"laneTriggerDigestAlgorithmVersion": lane[prefix+"DigestAlgorithmVersion"], "laneTriggerDigest": lane[prefix+"Digest"],
		})
		equal(t, key, work["meteringInputWorkOperationId"], any(want))
	}
}

// The operation is not in the receipt, but in the work that the receipt addresses.
func TestFinalizationOperationIsDerived(t *testing.T) {
	run := newRun(t, "identity", 2)
	r := receiver(t, consumers.KindCoordinator, consumers.ReceiverOptions{})
	receipt := acknowledged(t, r, write(t, consumers.KindCoordinator, run, "closure", nil))
	source, outcome := child(t, receipt, "source"), child(t, receipt, "outcome")
	const trigger = "billingFinalizationTriggerSnapshot"
	operation := derive(t, "billing_finalization_operation", join(
		pick(source, "billingReservationId", "runId"),
		pick(outcome, "workGeneration", trigger+"DigestAlgorithmVersion", trigger+"Digest"),
	))
	work := digestOf(t, join(
		pick(source, "tenantKind", "tenantId", "workspaceId", "projectId", "billingReservationId", "billingAccountId", "runId"),
		pick(outcome, "workGeneration", trigger+"Ref", trigger+"SchemaVersion", trigger+"DigestAlgorithmVersion", trigger+"Digest",
			"billingFinalizationWorkSchemaVersion", "billingFinalizationWorkDigestAlgorithmVersion"),
		map[string]any{
			"billingFinalizationFenceId": run.FenceID(), "fenceRevision": outcome["finalizationFenceRevision"],
			"billingFinalizationOperationId": operation,
		},
	))
	equal(t, "work", outcome["billingFinalizationWorkDigest"], any(work))
}

func TestCatchUpOperationIsDerived(t *testing.T) {
	run := newRun(t, "identity", 3)
	billing := consumers.NewBilling()
	billing.Committed(run.ReservationID)
	r := receiver(t, consumers.KindCatchUp, consumers.ReceiverOptions{Billing: billing})
	receipt := acknowledged(t, r, write(t, consumers.KindCatchUp, run, "input S1", nil))
	input, scheduled := child(t, receipt, "eventSettlementInput"), child(t, receipt, "outcome", "durability")
	basis := join(
		pick(receipt, "billingReservationId", "billingAccountId", "runId", "runStepId", "executionAttemptId", "chargeDimensionKey",
			"settlementEconomicIdentity"),
		pick(scheduled, "workGeneration"),
		map[string]any{"fenceRevision": scheduled["settlementCatchUpFenceRevision"], "settlementInputToValidate": input},
	)
	want := derive(t, "billing_catch_up_validation_operation", join(input, map[string]any{
		"purpose": "billing_catch_up_fence",
		"billingCatchUpBasisDigestAlgorithmVersion": contracts.DigestAlgorithm, "billingCatchUpBasisDigest": digestOf(t, basis),
	}))
	equal(t, "operation", scheduled["billingCatchUpValidationOperationId"], any(want))
}

// An event whose derived identifier is another is refused for good; as it was written it is taken.
func TestAnotherIdentityIsUnprocessable(t *testing.T) {
	run := newRun(t, "identity", 4)
	payload := func(name string, value any) func(map[string]any) {
		return func(e map[string]any) { e["payload"].(map[string]any)[name] = value }
	}
	aggregate := func(id string) func(map[string]any) { return func(e map[string]any) { e["aggregateId"] = id } }
	billing := consumers.NewBilling()
	coordinator := receiver(t, consumers.KindCoordinator, consumers.ReceiverOptions{Billing: billing})
	catchUp := receiver(t, consumers.KindCatchUp, consumers.ReceiverOptions{Billing: billing})
	for _, test := range []struct {
		receiver *consumers.Receiver
		kind     consumers.Kind
		key      string
		changes  map[string]func(map[string]any)
	}{
		{catchUp, consumers.KindCatchUp, "input S1", map[string]func(map[string]any){
			"another aggregate": aggregate(newRun(t, "identity", 5).DimensionID()),
			"another step":      payload("runStepId", "step_2"),
		}},
		{coordinator, consumers.KindCoordinator, "closure", map[string]func(map[string]any){
			"state version 2": payload("runExecutionFinalizationStateVersion", 2),
			"state version 0": payload("runExecutionFinalizationStateVersion", 0),
		}},
		{coordinator, consumers.KindCoordinator, "resolution", map[string]func(map[string]any){
			"another aggregate":  aggregate("rsl_1"),
			"another generation": payload("reconciliationGeneration", 2),
			"another fence":      payload("billingFinalizationFenceId", "fence_2"),
		}},
	} {
		for name, change := range test.changes {
			t.Run(test.key+", "+name, func(t *testing.T) {
				refused(t, test.receiver, write(t, test.kind, run, test.key, change), "non_retryable", "event_unprocessable")
			})
		}
		acknowledged(t, test.receiver, write(t, test.kind, run, test.key, nil))
	}
}

func TestProjectorRefusesAnotherIdentity(t *testing.T) {
	th := openTheatre(t, nil)
	run := newRun(t, "identity", 6)
	for key, change := range map[string]func(map[string]any){
		"case":       func(e map[string]any) { e["payload"].(map[string]any)["caseRequestOperationId"] = "op_1" },
		"resolution": func(e map[string]any) { e["aggregateId"] = "rsl_1" },
	} {
		t.Run(key, func(t *testing.T) {
			refused(t, th.projector, operations(t, run, key, change), "non_retryable", "event_unprocessable")
			acknowledged(t, th.projector, operations(t, run, key, nil))
		})
	}
}

// A version that the event's own reader lets pass, but no candidate: it stays the event's fault.
func TestRefusedCandidateIsUnprocessable(t *testing.T) {
	run := newRun(t, "identity", 7)
	billing := consumers.NewBilling()
	billing.Committed(run.ReservationID)
	r := receiver(t, consumers.KindCatchUp, consumers.ReceiverOptions{Billing: billing})
	refused(t, r, write(t, consumers.KindCatchUp, run, "input S1", func(e map[string]any) {
		e["payload"].(map[string]any)["currentSettlementInputSnapshotSchemaVersion"] = "one"
	}), "non_retryable", "event_unprocessable")
	receipt := acknowledged(t, r, write(t, consumers.KindCatchUp, run, "input S1", nil))
	equal(t, "inbox revision", dig(t, receipt, "outcome", "inboxRevision"), any(1.0))
}
