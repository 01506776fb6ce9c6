package contracts

import (
	"encoding/json"
	"fmt"
)

// ActiveConsumerAck is a consumer's acknowledgement of one delivery, ActiveConsumerAck@1.
type ActiveConsumerAck struct {
	Destination                         string         `json:"destination"`
	ConsumerName                        string         `json:"consumerName"`
	EventID                             string         `json:"eventId"`
	EventEnvelopeDigestAlgorithmVersion string         `json:"eventEnvelopeDigestAlgorithmVersion"`
	EventEnvelopeSha256                 string         `json:"eventEnvelopeSha256"`
	AppliedReceipt                      AppliedReceipt `json:"appliedReceipt"`
}

// AppliedReceipt names the receipt that an acknowledgement rests on. On the wire its four members
// carry the prefix of the receipt type that Kind stands for.
type AppliedReceipt struct {
	Kind                   string
	Ref                    string
	SchemaVersion          string
	DigestAlgorithmVersion string
	Digest                 string
}

// AckReceiptType gives the receipt type that a kind of acknowledgement rests on.
func AckReceiptType(kind string) (receiptType string, known bool) {
	switch kind {
	case "operations_projection":
		return OperationsProjectionAppliedReceipt, true
	case "metering_input_processor":
		return MeteringInputProcessorConsumerReceipt, true
	case "billing_finalization_coordinator":
		return BillingFinalizationCoordinatorConsumerReceipt, true
	case "billing_settlement_catch_up":
		return BillingSettlementCatchUpConsumerReceipt, true
	}
	return "", false
}

// MarshalJSON writes the branch of the union that Kind selects.
func (r AppliedReceipt) MarshalJSON() ([]byte, error) {
	receiptType, known := AckReceiptType(r.Kind)
	if !known {
		return nil, &ShapeError{Path: "/appliedReceipt/kind", Problem: "is not known"}
	}
	prefix := ReceiptPrefix(receiptType)
	branch, err := json.Marshal(map[string]string{
		"kind":                            r.Kind,
		prefix + "Ref":                    r.Ref,
		prefix + "SchemaVersion":          r.SchemaVersion,
		prefix + "DigestAlgorithmVersion": r.DigestAlgorithmVersion,
		prefix + "Digest":                 r.Digest,
	})
	if err != nil {
		return nil, fmt.Errorf("applied receipt: %w", err)
	}
	return branch, nil
}

// UnmarshalJSON reads exactly the branch of the union that kind selects.
func (r *AppliedReceipt) UnmarshalJSON(doc []byte) error {
	const path = "/appliedReceipt"
	members, err := parseObject(doc)
	if err != nil {
		return err
	}
	if err := members.texts(path, map[string]*string{"kind": &r.Kind}); err != nil {
		return err
	}
	receiptType, known := AckReceiptType(r.Kind)
	if !known {
		return &ShapeError{Path: path + "/kind", Problem: "is missing or not known"}
	}
	prefix := ReceiptPrefix(receiptType)
	fields := map[string]*string{
		"kind":                            &r.Kind,
		prefix + "Ref":                    &r.Ref,
		prefix + "SchemaVersion":          &r.SchemaVersion,
		prefix + "DigestAlgorithmVersion": &r.DigestAlgorithmVersion,
		prefix + "Digest":                 &r.Digest,
	}
	if err := members.closed(path, names(fields), nil); err != nil {
		return err
	}
	return members.texts(path, fields)
}

// ParseAck reads an acknowledgement strictly.
func ParseAck(doc []byte) (ActiveConsumerAck, error) {
	var ack ActiveConsumerAck
	members, err := parseObject(doc)
	if err != nil {
		return ack, fmt.Errorf("acknowledgement: %w", err)
	}
	fields := map[string]*string{
		"destination":                         &ack.Destination,
		"consumerName":                        &ack.ConsumerName,
		"eventId":                             &ack.EventID,
		"eventEnvelopeDigestAlgorithmVersion": &ack.EventEnvelopeDigestAlgorithmVersion,
		"eventEnvelopeSha256":                 &ack.EventEnvelopeSha256,
	}
	if err := members.closed("", append(names(fields), "appliedReceipt"), nil); err != nil {
		return ack, fmt.Errorf("acknowledgement: %w", err)
	}
	if err := members.texts("", fields); err != nil {
		return ack, fmt.Errorf("acknowledgement: %w", err)
	}
	if err := ack.AppliedReceipt.UnmarshalJSON(members["appliedReceipt"]); err != nil {
		return ack, fmt.Errorf("acknowledgement: %w", err)
	}
	return ack, nil
}
