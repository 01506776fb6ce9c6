package consumers

import (
	"strings"

	"github.com/google/uuid"
)

// idNamespace is the fixed namespace of every identity that is derived rather than drawn.
var idNamespace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://oceanway.example/identities"))

// deriveID derives an identity from the parts that determine it.
func deriveID(parts ...string) string {
	// Identifiers hold no control characters, so the separator keeps different lists apart.
	return uuid.NewSHA1(idNamespace, []byte(strings.Join(parts, "\x1f"))).String()
}

// SettlementDimensionID derives the aggregate id of one settlement dimension.
func SettlementDimensionID(billingReservationID, runStepID, executionAttemptID, chargeDimensionKey string) string {
	return "dim_" + deriveID("settlement_dimension", billingReservationID, runStepID, executionAttemptID, chargeDimensionKey)
}

// FinalizationFenceID derives the identity of the one finalization fence of a reservation and its run.
func FinalizationFenceID(billingReservationID, runID string) string {
	return "fence_" + deriveID("billing_finalization_fence", billingReservationID, runID)
}
