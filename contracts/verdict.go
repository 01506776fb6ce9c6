package contracts

import (
	"encoding/json"
	"fmt"
)

// The results of a delivery, in a consumer's words.
const (
	Acknowledged = "acknowledged"
	Retryable    = "retryable"
	NonRetryable = "non_retryable"
)

// Verdict is a consumer's answer to one delivery. Which members belong to it depends on Result:
//
//	acknowledged    ack, receipt
//	retryable       errorCode, and where wanted errorRef and retryAfterMs
//	non_retryable   errorCode, and where wanted errorRef
type Verdict struct {
	Result       string          `json:"result"`
	Ack          json.RawMessage `json:"ack,omitempty"`
	Receipt      json.RawMessage `json:"receipt,omitempty"`
	ErrorCode    string          `json:"errorCode,omitempty"`
	ErrorRef     string          `json:"errorRef,omitempty"`
	RetryAfterMs int64           `json:"retryAfterMs,omitempty"`
}

// ParseVerdict reads an answer strictly. The acknowledgement and the receipt stay raw objects in
// canonical form; ParseAck reads the former.
func ParseVerdict(doc []byte) (Verdict, error) {
	verdict, err := parseVerdict(doc)
	if err != nil {
		return Verdict{}, fmt.Errorf("verdict: %w", err)
	}
	return verdict, nil
}

func parseVerdict(doc []byte) (verdict Verdict, err error) {
	members, err := parseObject(doc)
	if err != nil {
		return verdict, err
	}
	if err := members.texts("", map[string]*string{"result": &verdict.Result}); err != nil {
		return verdict, err
	}
	switch verdict.Result {
	case Acknowledged:
		return verdict, verdict.readAcknowledged(members)
	case Retryable:
		return verdict, verdict.readFailure(members, "errorRef", "retryAfterMs")
	case NonRetryable:
		return verdict, verdict.readFailure(members, "errorRef")
	}
	return verdict, &ShapeError{Path: "/result", Problem: "is missing or not known"}
}

func (v *Verdict) readAcknowledged(members object) (err error) {
	if err := members.closed("", []string{"result", "ack", "receipt"}, nil); err != nil {
		return err
	}
	if v.Ack, err = members.nested("", "ack"); err != nil {
		return err
	}
	v.Receipt, err = members.nested("", "receipt")
	return err
}

func (v *Verdict) readFailure(members object, optional ...string) (err error) {
	if err := members.closed("", []string{"result", "errorCode"}, optional); err != nil {
		return err
	}
	fields := map[string]*string{"errorCode": &v.ErrorCode, "errorRef": &v.ErrorRef}
	if err := members.texts("", fields); err != nil {
		return err
	}
	v.RetryAfterMs, err = members.integer("", "retryAfterMs")
	return err
}
