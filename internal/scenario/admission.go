package scenario

import "github.com/oceanway/outbox/internal/consumers"

// admit admits the run and reserves its budget.
func (r Run) admit() Transaction {
	return Transaction{
		Name: "admit the run", State: "admitted",
		Events: []Event{
			{
				Key: "run", Type: "run.created@2.0", Version: "2.0", AggregateID: r.RunID, Revision: 1, Operation: r.operation("admission"),
				Payload: object{
					"actorPrincipalId": r.ActorID, "executionPrincipalId": r.ActorID, "product": "developer_api",
					"modelOfferingRevisionId": "ofr_" + r.id("offering revision"),
					"pricingSnapshotId":       "prc_" + r.id("pricing snapshot"),
					"billingPolicyRevisionId": "bpr_" + r.id("billing policy revision"),
				}.with(r.tenant(), r.billing(), r.address("runAdmissionManifest", "1")),
			},
			{
				Key: "wallet", Type: "wallet.reserved@2.0", Version: "2.0", AggregateID: r.ReservationID, Revision: 1,
				Operation: r.operation("admission"), CausedBy: "run",
				Payload: object{
					"settlementEconomicIdentity": credits(), "reservedAmountDecimal": "120.50", "resultingReservationRevision": 1,
				}.with(r.tenant(), r.billing(), r.address("runAdmissionManifest", "1")),
			},
		},
	}
}

// finishAttempt records that the run's one attempt succeeded.
func (r Run) finishAttempt() Transaction {
	return Transaction{
		Name: "finish the attempt", State: "attempt_finished",
		Events: []Event{{
			Key: "eligibility", Type: "execution.attempt-eligibility.finalized@1", Version: "1", AggregateID: r.AttemptID, Revision: 1,
			Operation: r.operation("attempt"), CausedBy: "run",
			Payload: object{
				"runStepId": r.StepID, "executionAttemptId": r.AttemptID, "terminalState": "succeeded",
				"dispatchDisposition": object{"state": "gateway_bound"}.
					with(r.address("attemptRouteBinding", "1"), r.address("gatewayRouteSnapshot", "1")),
				"outputEligibility": object{"state": "registered"}.with(r.address("outputFact", "1")),
			}.with(r.tenant(), r.billing(), r.address("attemptExecutionManifest", "1"), r.address("executionEligibilityFact", "1")),
		}},
	}
}

// observeGateway records what the gateway knows about the attempt's usage and about what it cost.
func (r Run) observeGateway() Transaction {
	return Transaction{
		Name: "observe the gateway", State: "evidence_available",
		Events: []Event{
			r.availability("usage", "provider_usage", "provider_output_tokens"),
			r.availability("cost", "provider_cost", "provider_cost_total"),
		},
	}
}

func (r Run) availability(key, kind, dimension string) Event {
	return Event{
		Key: key, Type: "gateway.evidence-availability.current-changed@1", Version: "1",
		AggregateID: "avl_" + r.id("availability "+kind+" "+dimension), Revision: 1, Operation: r.operation("attempt"), CausedBy: "run",
		Payload: object{
			"executionAttemptId": r.AttemptID, "gatewayDeploymentId": r.DeploymentID,
			"providerEvidenceKind": kind, "evidenceDimensionKey": dimension,
			"currentAvailabilityStateVersion": 1, "supersedesAvailability": object{"state": "root"},
		}.with(r.address("attemptExecutionManifest", "1"), r.address("attemptRouteBinding", "1"), r.address("gatewayRouteSnapshot", "1"),
			r.address("currentAvailability", kind+" 1")),
	}
}

// meter moves the settlement input of the run's dimension to its next version.
func (r Run) meter(version int, causedBy string, awaits ...Await) Transaction {
	previous := object{"state": "root"}
	if version > 1 {
		previous = r.bare("settlementInputSnapshot", inputName(version-1)).with(object{"state": "supersedes", "stateVersion": version - 1})
	}
	current := r.bare("settlementInputSnapshot", inputName(version))
	return Transaction{
		Name: "meter input " + inputName(version), State: "metered", Awaits: awaits,
		Events: []Event{{
			Key: "input " + inputName(version), Type: "metering.settlement-input.current-changed@1", Version: "1",
			AggregateID: r.DimensionID(), Revision: int64(version), Operation: r.operation("metering " + inputName(version)), CausedBy: causedBy,
			Payload: object{
				"settlementEconomicIdentity":                           credits(),
				"currentSettlementInputSnapshotRef":                    current["ref"],
				"currentSettlementInputSnapshotSchemaVersion":          current["schemaVersion"],
				"currentSettlementInputSnapshotDigestAlgorithmVersion": current["digestAlgorithmVersion"],
				"currentSettlementInputSnapshotDigest":                 current["digest"],
				"currentSettlementInputStateVersion":                   version,
				"supersedesSettlementInputSnapshot":                    previous,
			}.with(r.tenant(), r.billing(), r.dimension()),
		}},
	}
}

// closeRun closes the run's set of attempts for good.
func (r Run) closeRun() Transaction {
	return Transaction{
		Name: "close the run", State: "closed",
		Events: []Event{{
			Key: "closure", Type: "execution.run-finalization.closed@1", Version: "1", AggregateID: r.RunID, Revision: 1,
			Operation: r.operation("closure"), CausedBy: "eligibility",
			Payload: object{
				"closureOperationId": r.operation("closure"), "runExecutionFinalizationStateVersion": 1, "attemptCount": 1,
			}.with(r.tenant(), r.billing(), r.address("runAdmissionManifest", "1"), r.address("runExecutionFinalization", "1"),
				r.address("attemptSetManifest", "1")),
		}},
	}
}

// Await is an event that a consumer must have applied first.
type Await struct {
	Destination consumers.Kind
	Key         string
}
