package scenario

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/oceanway/outbox/contracts"
)

// identities are the identifiers of a run that have a namespace in the contracts. Generation 2 of the finalization
// work is held for its case, generation 3 settles.
type identities struct {
	dimension             string
	caseRequest           string
	resolution            string
	resolutionOperation   string
	heldFinalization      string
	committedFinalization string
}

// derive gives the identity that a name has within a scope: of everything without a namespace in the contracts.
func derive(scope, name string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(scope+"\x1f"+name)).String()
}

// id derives an identity of this run.
func (r Run) id(name string) string { return derive(r.scope, name) }

// operation derives the id of an operation of this run.
func (r Run) operation(name string) string { return "op_" + r.id(name) }

// deriveIdentities derives the identifiers that have a namespace.
func (r Run) deriveIdentities(schemas *contracts.Registry) (ids identities, err error) {
	generation := object{"billingFinalizationFenceId": r.FenceID(), "reconciliationGeneration": 1}
	for _, d := range []struct {
		into      *string
		namespace string
		candidate object
	}{
		{&ids.dimension, "settlement_dimension", object{"billingReservationId": r.ReservationID}.with(r.dimension())},
		{&ids.caseRequest, "finalization_case_request_operation",
			object{"sourceOwner": "billing", "sourceKind": "billing_finalization"}.with(r.tenant(), r.billing(), generation)},
		{&ids.resolution, "finalization_resolution_aggregate", generation},
		{&ids.resolutionOperation, "finalization_resolution_operation", r.address("resolutionDecision", "1")},
		{&ids.heldFinalization, "billing_finalization_operation", r.finalizationWork(2, "held")},
		{&ids.committedFinalization, "billing_finalization_operation", r.finalizationWork(3, "resolved")},
	} {
		raw, err := json.Marshal(d.candidate)
		if err != nil {
			return ids, fmt.Errorf("encode: %w", err)
		}
		if *d.into, err = schemas.DeriveID(d.namespace, raw); err != nil {
			return ids, fmt.Errorf("derive by %s: %w", d.namespace, err)
		}
	}
	return ids, nil
}

// finalizationWork is what the operation of one generation of finalization work is derived from.
func (r Run) finalizationWork(generation int, trigger string) object {
	const snapshot = "billingFinalizationTriggerSnapshot"
	address := r.address(snapshot, trigger)
	return object{
		"billingReservationId": r.ReservationID, "runId": r.RunID, "workGeneration": generation,
		snapshot + "DigestAlgorithmVersion": address[snapshot+"DigestAlgorithmVersion"],
		snapshot + "Digest":                 address[snapshot+"Digest"],
	}
}
