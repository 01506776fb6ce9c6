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
// carry the prefix of the receipt type, which is not a member itself: both sides know it from the
// delivery set.
type AppliedReceipt struct {
	ReceiptType            string
	Kind                   string
	Ref                    string
	SchemaVersion          string
	DigestAlgorithmVersion string
	Digest                 string
}

// appliedMembers gives the wire names of the branch of the union that belongs to the receipt type.
func appliedMembers(r *AppliedReceipt) map[string]*string {
	prefix := ReceiptPrefix(r.ReceiptType)
	return map[string]*string{
		"kind":                            &r.Kind,
		prefix + "Ref":                    &r.Ref,
		prefix + "SchemaVersion":          &r.SchemaVersion,
		prefix + "DigestAlgorithmVersion": &r.DigestAlgorithmVersion,
		prefix + "Digest":                 &r.Digest,
	}
}

// MarshalJSON writes the branch of the union that belongs to the receipt type.
func (r AppliedReceipt) MarshalJSON() ([]byte, error) {
	branch, err := json.Marshal(appliedMembers(&r))
	if err != nil {
		return nil, fmt.Errorf("applied receipt: %w", err)
	}
	return branch, nil
}

// readApplied reads exactly the branch of the union that belongs to the receipt type.
func readApplied(r *AppliedReceipt, doc []byte) error {
	const path = "/appliedReceipt"
	members, err := parseObject(doc)
	if err != nil {
		return err
	}
	fields := appliedMembers(r)
	if err := members.closed(path, names(fields), nil); err != nil {
		return err
	}
	return members.texts(path, fields)
}

// ParseAck reads an acknowledgement strictly. Which receipt it must rest on is frozen in the delivery
// and never taken from the acknowledgement.
func ParseAck(doc []byte, receiptType string) (ActiveConsumerAck, error) {
	ack := ActiveConsumerAck{AppliedReceipt: AppliedReceipt{ReceiptType: receiptType}}
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
	if err := readApplied(&ack.AppliedReceipt, members["appliedReceipt"]); err != nil {
		return ack, fmt.Errorf("acknowledgement: %w", err)
	}
	return ack, nil
}
