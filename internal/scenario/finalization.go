package scenario

import "github.com/oceanway/outbox/internal/consumers"

// requestCase holds the finalization for a reconciliation and asks operations to open its case.
func (r Run) requestCase() Transaction {
	return Transaction{
		Name: "request a reconciliation", State: "reconciliation_required",
		Awaits: []Await{{consumers.KindCoordinator, "closure"}, {consumers.KindCatchUp, "input S1"}},
		Events: []Event{{
			Key: "case", Type: "billing.finalization-reconciliation.case-requested@1", Version: "1",
			AggregateID: r.ReconciliationCaseRef(), Revision: 1, Operation: r.ids.heldFinalization, CausedBy: "closure",
			Payload: object{
				"billingFinalizationFenceId": r.FenceID(), "reconciliationCaseRef": r.ReconciliationCaseRef(),
				"reconciliationGeneration": 1, "expectedResolutionRevision": 1,
				"caseRequestOperationId":                      r.ids.caseRequest,
				"billingFinalizationOperationId":              r.ids.heldFinalization,
				"triggeringBillingFinalizationWorkGeneration": 2,
				"reasonCode": "settlement_input_conflicting",
			}.with(r.tenant(), r.billing(), r.address("finalizationCaseIdentityReservation", "1"),
				r.address("billingFinalizationDecision", "reconciliation required"), r.address("triggeringBillingFinalizationWork", "2")),
		}},
		held: true,
	}
}

// resolveCase applies the resolution of the case, which asks for the finalization to be evaluated again.
func (r Run) resolveCase() Transaction {
	return Transaction{
		Name: "resolve the reconciliation", State: "reconciliation_resolved",
		Awaits: []Await{{consumers.KindOperations, "case"}, {consumers.KindCatchUp, "input S2"}},
		Events: []Event{{
			Key: "resolution", Type: "billing.finalization-reconciliation-resolution.applied@1", Version: "1",
			AggregateID: r.ids.resolution, Revision: 1, Operation: r.ids.resolutionOperation, CausedBy: "case",
			Actor: r.OperatorID,
			Payload: object{
				"billingFinalizationFenceId": r.FenceID(), "reconciliationCaseRef": r.ReconciliationCaseRef(),
				"reconciliationGeneration": 1, "resolutionRevision": 1,
				"resolutionOperationId": r.ids.resolutionOperation, "action": "reevaluate_current_owner_state",
			}.with(r.tenant(), r.billing(), r.address("finalizationCaseIdentityReservation", "1"),
				r.address("finalizationReconciliationResolutionApplied", "1")),
		}},
	}
}

// finalize settles the run's reservation and brings its dimension to revision 1.
func (r Run) finalize() Transaction {
	commitment := r.dimension().with(r.address("settlementInputConsumption", "1"), object{"resultingDimensionStateRevision": 1})
	ledger := r.dimension().with(r.address("ledgerEffect", "base"))
	return Transaction{
		Name: "finalize the run", State: "finalized",
		Awaits: []Await{{consumers.KindCoordinator, "resolution"}},
		Events: []Event{{
			Key: "finalization", Type: "billing.finalization.committed@1", Version: "1", AggregateID: r.ReservationID, Revision: 2,
			Operation: r.ids.committedFinalization, CausedBy: "resolution",
			Payload: object{
				"billingFinalizationOperationId": r.ids.committedFinalization, "billingFinalizationFenceId": r.FenceID(),
				"settlementEconomicIdentity": credits(), "status": "settle_and_release_remainder",
				"dimensionCommitmentCount": 1, "dimensionCommitments": []object{commitment},
				"ledgerEffectCount": 1, "ledgerEffects": []object{ledger},
				"resultingReservationStatus": "settled", "resultingReservationRevision": 2,
			}.with(r.tenant(), r.billing(), r.address("billingFinalizationCommitted", "1"),
				r.address("billingFinalizationDecision", "settle"), r.address("finalizationInputManifest", "1"),
				r.address("finalizationValidationBundle", "1")),
		}},
		committed: true,
	}
}
