package consumers

import (
	"fmt"

	"github.com/oceanway/outbox/contracts"
)

// Kind names a consumer by its destination.
type Kind string

// The four destinations of the first delivery set.
const (
	KindOperations  Kind = "core_operations"
	KindMetering    Kind = "metering_input_processor"
	KindCoordinator Kind = "billing_finalization_coordinator"
	KindCatchUp     Kind = "billing_settlement_catch_up"
)

// Kinds lists every destination, the projector first.
func Kinds() []Kind {
	return []Kind{KindOperations, KindMetering, KindCoordinator, KindCatchUp}
}

// The event types that the first delivery set carries, version included.
const (
	runCreated              = "run.created@2.0"
	walletReserved          = "wallet.reserved@2.0"
	finalizationCommitted   = "billing.finalization.committed@1"
	transitionCommitted     = "billing.settlement-transition.committed@1"
	exposureCaseRequested   = "billing.late-settlement-exposure.case-requested@1"
	caseResolutionApplied   = "billing.case-resolution.applied@1"
	lateResultCommitted     = "billing.late-settlement-command-result.committed@1"
	eligibilityFinalized    = "execution.attempt-eligibility.finalized@1"
	runClosed               = "execution.run-finalization.closed@1"
	reconciliationRequested = "billing.finalization-reconciliation.case-requested@1"
	resolutionApplied       = "billing.finalization-reconciliation-resolution.applied@1"
	availabilityChanged     = "gateway.evidence-availability.current-changed@1"
	settlementInputChanged  = "metering.settlement-input.current-changed@1"
)

// member is what a consumer is bound to: the frozen member that a delivery must name, and the events it decodes.
type member struct {
	destination string
	consumer    string
	receiptType string
	ackKind     string
	projected   bool
	events      map[string]string // event type → schema version
	schemas     *contracts.Registry
}

// bound is a destination's member with the schemas that judge what it is sent; nil schemas are loaded.
func bound(kind Kind, schemas *contracts.Registry) (m member, err error) {
	m = memberOf(kind)
	if m.schemas = schemas; schemas == nil {
		if m.schemas, err = contracts.Load(); err != nil {
			return m, fmt.Errorf("consumer of %s: %w", kind, err)
		}
	}
	return m, nil
}

// ReceiptType is what the consumer's receipts are, "" for a destination that has no consumer here.
func (k Kind) ReceiptType() string { return memberOf(k).receiptType }

// AckKind is how the consumer's acknowledgements name what they rest on.
func (k Kind) AckKind() string { return memberOf(k).ackKind }

func memberOf(kind Kind) member {
	switch kind {
	case KindOperations:
		return member{
			destination: string(kind), consumer: "operations_projector", projected: true,
			receiptType: contracts.OperationsProjectionAppliedReceipt, ackKind: "operations_projection",
			events: map[string]string{
				runCreated: "2.0", walletReserved: "2.0", finalizationCommitted: "1", transitionCommitted: "1",
				exposureCaseRequested: "1", caseResolutionApplied: "1", lateResultCommitted: "1",
				reconciliationRequested: "1", resolutionApplied: "1",
			},
		}
	case KindMetering:
		return member{
			destination: string(kind), consumer: "metering_input_processor_consumer",
			receiptType: contracts.MeteringInputProcessorConsumerReceipt, ackKind: string(kind),
			events: map[string]string{eligibilityFinalized: "1", availabilityChanged: "1"},
		}
	case KindCoordinator:
		return member{
			destination: string(kind), consumer: "billing_finalization_coordinator_consumer",
			receiptType: contracts.BillingFinalizationCoordinatorConsumerReceipt, ackKind: string(kind),
			events: map[string]string{runClosed: "1", resolutionApplied: "1"},
		}
	case KindCatchUp:
		return member{
			destination: string(kind), consumer: "billing_settlement_catch_up_consumer",
			receiptType: contracts.BillingSettlementCatchUpConsumerReceipt, ackKind: string(kind),
			events: map[string]string{settlementInputChanged: "1"},
		}
	}
	return member{}
}
