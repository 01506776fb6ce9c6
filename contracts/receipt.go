package contracts

import "strings"

// The receipt types of this release.
const (
	OperationsProjectionAppliedReceipt            = "OperationsProjectionAppliedReceipt"
	MeteringInputProcessorConsumerReceipt         = "MeteringInputProcessorConsumerReceipt"
	BillingFinalizationCoordinatorConsumerReceipt = "BillingFinalizationCoordinatorConsumerReceipt"
	BillingSettlementCatchUpConsumerReceipt       = "BillingSettlementCatchUpConsumerReceipt"
)

// ReceiptPrefix is how the members that a receipt says about itself begin: the receipt type in
// lower camel case.
func ReceiptPrefix(receiptType string) string {
	if receiptType == "" {
		return ""
	}
	return strings.ToLower(receiptType[:1]) + receiptType[1:]
}

// ReceiptSchema names the schema of a receipt type in a version, as a member of a delivery set states the
// two. This release need not have it.
func ReceiptSchema(receiptType, version string) string { return receiptType + "@" + version }
