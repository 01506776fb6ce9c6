package consumers_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/internal/consumers"
)

// The field sets of the receipts as their owners define them, one union member for each case. A name with a star stands
// for the four fields of a content address.
const (
	meteringHead = `meteringInputProcessorConsumerReceipt* destination consumerName eventId
		eventEnvelopeDigestAlgorithmVersion eventEnvelopeSha256 outcome committedAt`
	eligibilitySource = `source.kind source.eventType source.eventSchemaVersion source.tenantKind source.tenantId source.workspaceId
		source.projectId source.billingReservationId source.billingAccountId source.runId source.runStepId
		source.executionAttemptId source.attemptExecutionManifest* source.executionEligibilityFact*`
	gatewaySource = `source.kind source.eventType source.eventSchemaVersion source.executionAttemptId source.gatewayDeploymentId
		source.attemptExecutionManifest* source.providerEvidenceKind source.evidenceDimensionKey source.currentAvailability*
		source.currentAvailabilityStateVersion`
	inputLane = `lane.kind lane.eligibilityFenceRevision lane.latestEligibilityWorkGeneration
		lane.eligibilityTriggerDigestAlgorithmVersion lane.eligibilityTriggerDigest lane.coordinationState.state
		lane.coordinationState.activeWork.state`
	pendingWork = `lane.coordinationState.activeWork.workGeneration lane.coordinationState.activeWork.meteringInputWorkOperationId
		lane.coordinationState.activeWork.meteringInputWork*`
	costLane = `lane.kind lane.gatewayDeploymentId lane.sourceEvidenceDimensionKey lane.providerCostFenceRevision
		lane.latestProviderCostWorkGeneration lane.providerCostTriggerDigestAlgorithmVersion lane.providerCostTriggerDigest
		lane.coordinationState.state lane.coordinationState.activeWork.state`

	coordinatorHead = `billingFinalizationCoordinatorConsumerReceipt* destination consumerName eventId
		eventEnvelopeDigestAlgorithmVersion eventEnvelopeSha256 committedAt`
	closureSource = `source.kind source.eventType source.eventSchemaVersion source.tenantKind source.tenantId source.workspaceId
		source.projectId source.billingReservationId source.billingAccountId source.runId source.closureOperationId
		source.runAdmissionManifest* source.runExecutionFinalization* source.runExecutionFinalizationStateVersion
		source.attemptSetManifest* source.attemptCount`
	resolutionSource = `source.kind source.eventType source.eventSchemaVersion source.tenantKind source.tenantId source.workspaceId
		source.projectId source.billingReservationId source.billingAccountId source.runId source.billingFinalizationFenceId
		source.reconciliationCaseRef source.reconciliationGeneration source.resolutionRevision source.resolutionOperationId
		source.finalizationCaseIdentityReservation* source.finalizationReconciliationResolutionApplied*
		source.actorWorkforcePrincipalId source.action`
	scheduledOutcome = `outcome.state outcome.finalizationFenceRevision outcome.workGeneration
		outcome.billingFinalizationTriggerSnapshot* outcome.billingFinalizationWork*`

	catchUpHead = `billingSettlementCatchUpConsumerReceipt* destination consumerName eventId eventType eventSchemaVersion
		eventEnvelopeDigestAlgorithmVersion eventEnvelopeSha256 tenantKind tenantId workspaceId projectId billingReservationId
		billingAccountId runId runStepId executionAttemptId chargeDimensionKey settlementEconomicIdentity.kind
		eventSettlementInput.settlementInputSnapshot* eventSettlementInput.settlementInputStateVersion
		outcome.kind outcome.inboxRevision committedAt`
	finalizationDurability = `outcome.durability.state outcome.durability.finalizationFenceRevision outcome.durability.workGeneration
		outcome.durability.billingFinalizationTriggerSnapshot* outcome.durability.billingFinalizationWork*`
	heldDurability = `outcome.durability.state outcome.durability.finalizationFenceRevision outcome.durability.reconciliationCaseRef
		outcome.durability.reconciliationGeneration outcome.durability.expectedResolutionRevision`
	catchUpDurability = `outcome.durability.state outcome.durability.settlementCatchUpFenceRevision outcome.durability.workGeneration
		outcome.durability.billingSettlementCatchUpWork* outcome.durability.billingCatchUpValidationOperationId`
	observedOutcome = `outcome.highestObservedSettlementInput.settlementInputSnapshot*
		outcome.highestObservedSettlementInput.settlementInputStateVersion`
)

// fieldSet expands such a list of names.
func fieldSet(lists ...string) []string {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(strings.Join(lists, " ")) {
		stem, quad := strings.CutSuffix(name, "*")
		if !quad {
			set[name] = true
			continue
		}
		for _, suffix := range []string{"Ref", "SchemaVersion", "DigestAlgorithmVersion", "Digest"} {
			set[stem+suffix] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// leaves lists the paths of an object's leaves.
func leaves(prefix string, object map[string]any) []string {
	var paths []string
	for name, value := range object {
		if inner, ok := value.(map[string]any); ok {
			paths = append(paths, leaves(prefix+name+".", inner)...)
			continue
		}
		paths = append(paths, prefix+name)
	}
	slices.Sort(paths)
	return paths
}

func wantFields(t *testing.T, receipt map[string]any, lists ...string) {
	t.Helper()
	got, want := leaves("", receipt), fieldSet(lists...)
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("%s is no field of this receipt", name)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestMeteringReceiptFields(t *testing.T) {
	run := newRun(t, "receipts", 1)
	r := receiver(t, consumers.KindMetering, consumers.ReceiverOptions{})
	for _, test := range []struct {
		key, state, outcome string
		fields              []string
	}{
		{"eligibility", "waiting_for_gateway_usage", "advanced", []string{meteringHead, eligibilitySource, inputLane, "lane.coordinationState.lastFinishedWork.state"}},
		{"usage", "pending", "advanced", []string{meteringHead, gatewaySource, inputLane, pendingWork}},
		{"cost", "pending", "advanced", []string{meteringHead, gatewaySource, costLane, pendingWork}},
	} {
		t.Run(test.key, func(t *testing.T) {
			receipt := acknowledged(t, r, write(t, consumers.KindMetering, run, test.key, nil))
			wantFields(t, receipt, test.fields...)
			equal(t, "state", dig(t, receipt, "lane", "coordinationState", "state"), any(test.state))
			equal(t, "outcome", receipt["outcome"], any(test.outcome))
		})
	}
}

func TestUsageBeforeEligibilityWaitsForExecution(t *testing.T) {
	run := newRun(t, "receipts", 2)
	r := receiver(t, consumers.KindMetering, consumers.ReceiverOptions{})
	receipt := acknowledged(t, r, write(t, consumers.KindMetering, run, "usage", nil))
	equal(t, "state", dig(t, receipt, "lane", "coordinationState", "state"), any("waiting_for_execution"))
	receipt = acknowledged(t, r, write(t, consumers.KindMetering, run, "eligibility", nil))
	equal(t, "state", dig(t, receipt, "lane", "coordinationState", "state"), any("pending"))
	equal(t, "revision", dig(t, receipt, "lane", "eligibilityFenceRevision"), any(2.0))
}

func TestEligibilityWithoutDispatchWaitsForNobody(t *testing.T) {
	run := newRun(t, "receipts", 3)
	r := receiver(t, consumers.KindMetering, consumers.ReceiverOptions{})
	receipt := acknowledged(t, r, write(t, consumers.KindMetering, run, "eligibility", func(e map[string]any) {
		e["payload"].(map[string]any)["dispatchDisposition"] = map[string]any{"state": "not_dispatched"}
	}))
	equal(t, "state", dig(t, receipt, "lane", "coordinationState", "state"), any("pending"))
}

func TestCoordinatorReceiptFields(t *testing.T) {
	run := newRun(t, "receipts", 4)
	billing := consumers.NewBilling()
	r := receiver(t, consumers.KindCoordinator, consumers.ReceiverOptions{Billing: billing})

	refused(t, r, write(t, consumers.KindCoordinator, run, "resolution", nil), "retryable", "fence_not_bindable")
	receipt := acknowledged(t, r, write(t, consumers.KindCoordinator, run, "closure", nil))
	wantFields(t, receipt, coordinatorHead, closureSource, scheduledOutcome)

	billing.Hold(run.ReservationID, run.ReconciliationCaseRef(), 1)
	receipt = acknowledged(t, r, write(t, consumers.KindCoordinator, run, "resolution", nil))
	wantFields(t, receipt, coordinatorHead, resolutionSource, scheduledOutcome)
	equal(t, "actor", dig(t, receipt, "source", "actorWorkforcePrincipalId"), any(run.OperatorID))
	equal(t, "revision", dig(t, receipt, "outcome", "finalizationFenceRevision"), any(2.0))

	again := write(t, consumers.KindCoordinator, run, "resolution", func(e map[string]any) {
		e["eventId"] = "0197f000-0000-7000-8000-000000000002"
	})
	receipt = acknowledged(t, r, again)
	wantFields(t, receipt, coordinatorHead, resolutionSource, "outcome.state outcome.finalizationFenceRevision")
	equal(t, "state", dig(t, receipt, "outcome", "state"), any("already_superseded"))
}

func TestCatchUpReceiptFields(t *testing.T) {
	run := newRun(t, "receipts", 5)
	billing := consumers.NewBilling()
	r := receiver(t, consumers.KindCatchUp, consumers.ReceiverOptions{Billing: billing})

	receipt := acknowledged(t, r, write(t, consumers.KindCatchUp, run, "input S1", nil))
	wantFields(t, receipt, catchUpHead, finalizationDurability)
	equal(t, "durability", dig(t, receipt, "outcome", "durability", "state"), any("finalization_work_scheduled"))

	billing.Hold(run.ReservationID, run.ReconciliationCaseRef(), 1)
	receipt = acknowledged(t, r, write(t, consumers.KindCatchUp, run, "input S2", nil))
	wantFields(t, receipt, catchUpHead, heldDurability)
	equal(t, "durability", dig(t, receipt, "outcome", "durability", "state"), any("held_for_resolution"))
	equal(t, "revision", dig(t, receipt, "outcome", "durability", "finalizationFenceRevision"), any(1.0))

	billing.Committed(run.ReservationID)
	receipt = acknowledged(t, r, write(t, consumers.KindCatchUp, run, "input S4", nil))
	wantFields(t, receipt, catchUpHead, catchUpDurability)
	equal(t, "durability", dig(t, receipt, "outcome", "durability", "state"), any("settlement_catch_up_scheduled"))

	receipt = acknowledged(t, r, write(t, consumers.KindCatchUp, run, "input S3", nil))
	wantFields(t, receipt, catchUpHead, observedOutcome)
	equal(t, "outcome", dig(t, receipt, "outcome", "kind"), any("already_observed"))
	equal(t, "highest", dig(t, receipt, "outcome", "highestObservedSettlementInput", "settlementInputStateVersion"), any(4.0))
}
