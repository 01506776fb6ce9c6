package consumers

import (
	"strings"

	"github.com/google/uuid"
)

// deriveID derives an identity, rather than drawing it, from the parts that determine it.
func deriveID(parts ...string) string {
	namespace := uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://oceanway.example/identities"))
	// Identifiers hold no control characters, so the separator keeps different lists apart.
	return uuid.NewSHA1(namespace, []byte(strings.Join(parts, "\x1f"))).String()
}

// SettlementDimensionID derives the aggregate id of one settlement dimension.
func SettlementDimensionID(billingReservationID, runStepID, executionAttemptID, chargeDimensionKey string) string {
	return "dim_" + deriveID("settlement_dimension", billingReservationID, runStepID, executionAttemptID, chargeDimensionKey)
}

// FinalizationFenceID derives the identity of the one finalization fence of a reservation and its run.
func FinalizationFenceID(billingReservationID, runID string) string {
	return "fence_" + deriveID("billing_finalization_fence", billingReservationID, runID)
}
