package consumers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/oceanway/outbox/contracts"
)

// The namespaces that the consumers derive by.
const (
	spaceDimension           = "settlement_dimension"
	spaceResolution          = "finalization_resolution_aggregate"
	spaceCaseRequest         = "finalization_case_request_operation"
	spaceFinalization        = "billing_finalization_operation"
	spaceMeteringInputWork   = "metering_input_work_operation"
	spaceBillingCatchUpCheck = "billing_catch_up_validation_operation"
)

// identities derives and verifies the identifiers that have a namespace in the contracts.
type identities struct {
	schemas *contracts.Registry
}

// derive derives the identifier of a candidate. Candidates are made of what events say, so one that its schema refuses
// is the event's fault.
func (i identities) derive(namespace string, candidate fields) (string, error) {
	raw, err := json.Marshal(candidate)
	if err != nil {
		return "", fmt.Errorf("encode: %w", err)
	}
	id, err := i.schemas.DeriveID(namespace, raw)
	if violations, ok := errors.AsType[*contracts.ViolationError](err); ok {
		return "", nonRetryable("event_unprocessable", violations.Error())
	}
	if err != nil {
		return "", fmt.Errorf("derive an identifier: %w", err)
	}
	return id, nil
}

// verify compares an identifier that an event states with the derived one.
func (i identities) verify(stated, path, namespace string, candidate fields) error {
	derived, err := i.derive(namespace, candidate)
	if err != nil {
		return err
	}
	if stated != derived {
		return nonRetryable("event_unprocessable", path+" is not the derived identifier")
	}
	return nil
}

// verifyDimension verifies the aggregate of a settlement input.
func (i identities) verifyDimension(e Envelope) error {
	return i.verify(e.AggregateID, "aggregateId", spaceDimension, dimensionCandidate(e.Payload["billingReservationId"], e.Payload))
}

// verifyResolution verifies the aggregate of the resolution of a case.
func (i identities) verifyResolution(e Envelope) error {
	candidate := fields{}.with(e.Payload, "billingFinalizationFenceId", "reconciliationGeneration")
	return i.verify(e.AggregateID, "aggregateId", spaceResolution, candidate)
}

// verifyCaseRequest verifies the operation that requests a case.
func (i identities) verifyCaseRequest(e Envelope) error {
	stated, _ := e.Payload["caseRequestOperationId"].(string)
	candidate := fields{"sourceOwner": "billing", "sourceKind": "billing_finalization"}.
		with(e.Payload, tenantNames()...).with(e.Payload, billingNames()...).
		with(e.Payload, "projectId", "billingFinalizationFenceId", "reconciliationGeneration")
	return i.verify(stated, "payload.caseRequestOperationId", spaceCaseRequest, candidate)
}

func dimensionCandidate(billingReservationID any, of map[string]any) fields {
	return fields{"billingReservationId": billingReservationID}.with(of, dimensionNames()...)
}

// deriveID derives the identities that have no namespace in the contracts, the references of addressed objects and
// receipts and the fence, from the parts that determine them.
func deriveID(parts ...string) string {
	namespace := uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://oceanway.example/identities"))
	// Identifiers hold no control characters, so the separator keeps different lists apart.
	return uuid.NewSHA1(namespace, []byte(strings.Join(parts, "\x1f"))).String()
}

// FinalizationFenceID derives the identity of the one finalization fence of a reservation and its run.
func FinalizationFenceID(billingReservationID, runID string) string {
	return "fence_" + deriveID("billing_finalization_fence", billingReservationID, runID)
}
