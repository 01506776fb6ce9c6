package contracts

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

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

// ReceiptDigest computes a receipt's digest over all but its own reference, digest and time.
func ReceiptDigest(receiptType string, receipt []byte) ([sha256.Size]byte, error) {
	prefix := ReceiptPrefix(receiptType)
	candidate, err := canonicalWithout(receipt, prefix+"Ref", prefix+"Digest", receiptTime(receiptType))
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("%s: %w", receiptType, err)
	}
	return Sum(candidate), nil
}

// receiptTime names the member with the time of a receipt.
func receiptTime(receiptType string) string {
	if receiptType == OperationsProjectionAppliedReceipt {
		return "appliedAt"
	}
	return "committedAt"
}
