package contracts

import "encoding/json"

// VerdictSchema is the schema of a consumer's answer.
const VerdictSchema = "ConsumerVerdict@1"

// The results of a delivery, in a consumer's words.
const (
	Acknowledged = "acknowledged"
	Retryable    = "retryable"
	NonRetryable = "non_retryable"
)

// Verdict is a consumer's answer to one delivery. Which members belong to it depends on Result; those
// that do not are empty.
type Verdict struct {
	Result       string          `json:"result"`
	Ack          json.RawMessage `json:"ack,omitempty"`
	Receipt      json.RawMessage `json:"receipt,omitempty"`
	ErrorCode    string          `json:"errorCode,omitempty"`
	ErrorRef     string          `json:"errorRef,omitempty"`
	RetryAfterMs int64           `json:"retryAfterMs,omitempty"`
}

// ParseVerdict reads an answer that its schema accepts, acknowledgement and receipt included. These two
// stay raw objects in canonical form; ParseAck reads the former. The receipt's digest is not compared.
// No size is refused: whoever reads the text bounds it.
func (r *Registry) ParseVerdict(doc []byte) (Verdict, error) {
	var verdict Verdict
	if err := r.decode(VerdictSchema, doc, &verdict); err != nil {
		return Verdict{}, err
	}
	return verdict, nil
}
