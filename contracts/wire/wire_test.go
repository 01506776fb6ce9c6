package wire_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/contracts/wire"
	"github.com/oceanway/outbox/tests/goldens"
)

// structs gives the struct of a schema; byHand lists those that package contracts has.
func structs() (generated map[string]func() any, byHand map[string]bool) {
	return map[string]func() any{
			"BillingCatchUpValidationOperationCandidate@1":       func() any { return new(wire.BillingCatchUpValidationOperationCandidate) },
			"BillingFinalizationCoordinatorConsumerReceipt@1":    func() any { return new(wire.BillingFinalizationCoordinatorConsumerReceipt) },
			"BillingFinalizationOperationCandidate@1":            func() any { return new(wire.BillingFinalizationOperationCandidate) },
			"BillingSettlementCatchUpConsumerReceipt@1":          func() any { return new(wire.BillingSettlementCatchUpConsumerReceipt) },
			"BillingSettlementInputPointer@1":                    func() any { return new(wire.BillingSettlementInputPointer) },
			"DeliverySetDefinition@1":                            func() any { return new(wire.DeliverySetDefinition) },
			"FinalizationCaseRequestOperationCandidate@1":        func() any { return new(wire.FinalizationCaseRequestOperationCandidate) },
			"FinalizationReconciliationCaseRequestedEvent@1":     func() any { return new(wire.FinalizationReconciliationCaseRequestedEvent) },
			"FinalizationReconciliationResolutionAppliedEvent@1": func() any { return new(wire.FinalizationReconciliationResolutionAppliedEvent) },
			"FinalizationResolutionAggregateCandidate@1":         func() any { return new(wire.FinalizationResolutionAggregateCandidate) },
			"FinalizationResolutionOperationCandidate@1":         func() any { return new(wire.FinalizationResolutionOperationCandidate) },
			"MeteringInputProcessorConsumerReceipt@1":            func() any { return new(wire.MeteringInputProcessorConsumerReceipt) },
			"MeteringInputWorkOperationCandidate@1":              func() any { return new(wire.MeteringInputWorkOperationCandidate) },
			"OperationsProjectionAppliedReceipt@1":               func() any { return new(wire.OperationsProjectionAppliedReceipt) },
			"SettlementDimensionCandidate@1":                     func() any { return new(wire.SettlementDimensionCandidate) },
			"SettlementEconomicIdentity@1":                       func() any { return new(wire.SettlementEconomicIdentity) },
			"SettlementInputCurrentChanged@1":                    func() any { return new(wire.SettlementInputCurrentChanged) },
		}, map[string]bool{
			"ActiveConsumerAck@1": true, "ConsumerVerdict@1": true, "EventEnvelope@1": true,
		}
}

func TestGoldensGoThroughTheirStructs(t *testing.T) {
	t.Parallel()
	generated, byHand := structs()
	for _, c := range goldens.ReadValid(t, "../goldens") {
		if byHand[c.Schema] {
			continue
		}
		empty, ok := generated[c.Schema]
		if !ok {
			t.Errorf("no struct of %s is tested", c.Schema)
			continue
		}
		value := empty()
		decoder := json.NewDecoder(bytes.NewReader(c.Document))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(value); err != nil {
			t.Errorf("%s/%s: %v", c.Schema, c.Name, err)
			continue
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Errorf("%s/%s: %v", c.Schema, c.Name, err)
			continue
		}
		if got, want := canonical(t, encoded), canonical(t, c.Document); got != want {
			t.Errorf("%s/%s:\n got %s\nwant %s", c.Schema, c.Name, got, want)
		}
	}
}

func canonical(t *testing.T, document []byte) string {
	t.Helper()
	text, err := contracts.Canonical(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
