package contracts

import (
	"encoding/json"
	"errors"
	"fmt"
)

// AckSchema is the schema of an acknowledgement.
const AckSchema = "ActiveConsumerAck@1"

// ErrOtherReceipt is an acknowledgement that rests on a receipt of another type than the delivery wants.
var ErrOtherReceipt = errors.New("the acknowledgement rests on a receipt of another type")

// ActiveConsumerAck is a consumer's acknowledgement of one delivery.
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

// UnmarshalJSON reads the branch of the union that belongs to the receipt type.
func (r *AppliedReceipt) UnmarshalJSON(branch []byte) error {
	var members map[string]string
	if err := json.Unmarshal(branch, &members); err != nil {
		return fmt.Errorf("applied receipt: %w", err)
	}
	for name, target := range appliedMembers(r) {
		text, ok := members[name]
		if !ok {
			return ErrOtherReceipt
		}
		*target = text
	}
	return nil
}

// ParseAck reads an acknowledgement that its schema accepts. Which receipt it must rest on is frozen in
// the delivery and never taken from the acknowledgement. No size is refused: whoever reads the text
// bounds it.
func (r *Registry) ParseAck(doc []byte, receiptType string) (ActiveConsumerAck, error) {
	ack := ActiveConsumerAck{AppliedReceipt: AppliedReceipt{ReceiptType: receiptType}}
	if err := r.decode(AckSchema, doc, &ack); err != nil {
		return ActiveConsumerAck{}, err
	}
	return ack, nil
}
