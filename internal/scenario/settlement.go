package scenario

import (
	"fmt"

	"github.com/oceanway/outbox/internal/consumers"
)

func inputName(version int) string { return fmt.Sprintf("S%d", version) }

// expose evaluates an input that costs more than was settled: nothing is charged, a case is requested.
func (r Run) expose() Transaction {
	request := object{
		"kind": "request_open", "caseGeneration": 1, "caseRequestOperationId": r.operation("late case request"),
		"reconciliationCaseRef": r.LateCaseRef(), "exposureRevision": 1,
	}.with(r.address("reconciliationCaseIdentityReservation", "late 1"), r.address("lateSettlementExposure", "1"))
	return Transaction{
		Name: "expose a late settlement", State: "late_settlement_exposed",
		Awaits: []Await{{consumers.KindCatchUp, "input S3"}},
		Events: []Event{
			r.transition("transition 1", "finalization", 1, "S3", "4.25", request, object{"state": "none"}),
			{
				Key: "exposure", Type: "billing.late-settlement-exposure.case-requested@1", Version: "1",
				AggregateID: r.LateCaseRef(), Revision: 1, Operation: r.operation("transition 1"), CausedBy: "transition 1",
				Payload: object{
					"sourceOwner": "billing", "sourceKind": "late_settlement", "reconciliationCaseRef": r.LateCaseRef(), "caseGeneration": 1,
					"caseRequestOperationId": r.operation("late case request"), "exposureRevision": 1,
					"settlementEconomicIdentity": credits(), "positiveDeltaDecimal": "4.25",
				}.with(r.tenant(), r.billing(), r.dimension(), r.address("reconciliationCaseIdentityReservation", "late 1"),
					r.address("lateSettlementExposure", "1")),
			},
		},
	}
}

// settleLate executes the approved command that charges the exposure, and resolves its case.
func (r Run) settleLate() Transaction {
	return Transaction{
		Name: "settle the exposure", State: "late_settlement_applied",
		Awaits: []Await{{consumers.KindOperations, "exposure"}},
		Events: []Event{
			{
				Key: "late result", Type: "billing.late-settlement-command-result.committed@1", Version: "1",
				AggregateID: r.DimensionID(), Revision: 3, Operation: r.operation("late settlement"), CausedBy: "transition 1", Actor: r.OperatorID,
				Payload: object{
					"status": "applied", "lateSettlementOperationId": r.operation("late settlement"),
					"reconciliationCaseRef": r.LateCaseRef(), "caseGeneration": 1, "resolvedExposureRevision": 2,
					"settlementEconomicIdentity": credits(), "appliedAmountDecimal": "4.25",
					"fromStateRevision": 2, "toStateRevision": 3,
				}.with(r.tenant(), r.billing(), r.dimension(), r.address("lateSettlementCommandResult", "1"),
					r.address("billingCaseResolutionApplied", "1"), r.address("resolvedExposure", "2"), r.address("ledgerEffect", "late")),
			},
			{
				Key: "case resolution", Type: "billing.case-resolution.applied@1", Version: "1",
				AggregateID: r.LateCaseRef(), Revision: 2, Operation: r.operation("late settlement"), CausedBy: "late result", Actor: r.OperatorID,
				Payload: object{
					"reconciliationCaseRef": r.LateCaseRef(), "caseGeneration": 1, "resolvedExposureRevision": 2,
					"resolutionOperationId": r.operation("late settlement"), "settlementEconomicIdentity": credits(),
					"resolutionSource": object{"kind": "late_settlement_command"}.with(r.address("lateSettlementCommandResult", "1")),
				}.with(r.tenant(), r.billing(), r.dimension(), r.address("billingCaseResolutionApplied", "1"),
					r.address("reconciliationCaseIdentityReservation", "late 1"), r.address("resolvedExposure", "2")),
			},
		},
	}
}

// refund evaluates an input that costs less than was settled: the difference goes back at once.
func (r Run) refund() Transaction {
	ledger := object{"state": "applied", "settlementEconomicIdentity": credits(), "amountDecimal": "-1.75"}.with(r.address("ledgerEffect", "refund"))
	return Transaction{
		Name: "refund the difference", State: "settled",
		Awaits: []Await{{consumers.KindCatchUp, "input S4"}},
		Events: []Event{r.transition("transition 2", "late result", 3, "S4", "-1.75", object{"kind": "none"}, ledger)},
	}
}

// transition is one step of the dimension's settled state; it is caused by the step directly before it.
func (r Run) transition(key, causedBy string, from int64, input, delta string, caseAction, ledger object) Event {
	return Event{
		Key: key, Type: "billing.settlement-transition.committed@1", Version: "1",
		AggregateID: r.DimensionID(), Revision: from + 1, Operation: r.operation(key), CausedBy: causedBy,
		Payload: object{
			"billingTransitionOperationId":           r.operation(key),
			"billingTransitionValidationOperationId": r.operation(fmt.Sprintf("%s validation from %d", key, from)),
			"settlementEconomicIdentity":             credits(), "deltaAmountDecimal": delta,
			"fromStateRevision": from, "toStateRevision": from + 1, "caseAction": caseAction, "ledgerEffect": ledger,
		}.with(r.tenant(), r.billing(), r.dimension(), r.address("billingSettlementTransition", key),
			r.address("settlementInputConsumption", input), r.address("settlementInputSnapshot", input)),
	}
}
