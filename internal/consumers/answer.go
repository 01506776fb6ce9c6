package consumers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/oceanway/outbox/contracts"
)

// refusal is an answer that is not an acknowledgement. Without a code it carries no verdict at all, which a dispatcher
// takes as retryable.
type refusal struct {
	status int
	result string // retryable, non_retryable, or empty for none
	code   string
	reason string
}

func (r *refusal) Error() string {
	if r.code == "" {
		return r.reason
	}
	return r.code + ": " + r.reason
}

func plain(status int, reason string) *refusal {
	return &refusal{status: status, reason: reason}
}

func retryable(status int, code, reason string) *refusal {
	return &refusal{status: status, result: contracts.Retryable, code: code, reason: reason}
}

func nonRetryable(code, reason string) *refusal {
	return &refusal{status: http.StatusUnprocessableEntity, result: contracts.NonRetryable, code: code, reason: reason}
}

// acknowledgement is the closed answer to an applied event; the same receipt always gives the same bytes.
func acknowledgement(m member, receipt []byte) ([]byte, error) {
	ack, err := acknowledge(m, receipt)
	if err != nil {
		return nil, err
	}
	rawAck, err := json.Marshal(ack)
	if err != nil {
		return nil, fmt.Errorf("encode the acknowledgement: %w", err)
	}
	answer, err := json.Marshal(contracts.Verdict{Result: contracts.Acknowledged, Ack: rawAck, Receipt: receipt})
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return contracts.Canonical(answer)
}

// acknowledge builds the ActiveConsumerAck@1 that belongs to a receipt.
func acknowledge(m member, receipt []byte) (contracts.ActiveConsumerAck, error) {
	doc, err := decodeObject(receipt)
	if err != nil {
		return contracts.ActiveConsumerAck{}, fmt.Errorf("receipt: %w", err)
	}
	r := reader{object: doc, path: "receipt"}
	q := r.quad(contracts.ReceiptPrefix(m.receiptType))
	return contracts.ActiveConsumerAck{
		Destination:                         r.text("destination"),
		ConsumerName:                        r.text("consumerName"),
		EventID:                             r.text("eventId"),
		EventEnvelopeDigestAlgorithmVersion: r.text("eventEnvelopeDigestAlgorithmVersion"),
		EventEnvelopeSha256:                 r.text("eventEnvelopeSha256"),
		AppliedReceipt: contracts.AppliedReceipt{
			ReceiptType: m.receiptType, Kind: m.ackKind, Ref: q.ref, SchemaVersion: q.schemaVersion, DigestAlgorithmVersion: q.algorithm, Digest: q.digest,
		},
	}, r.err
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller that has gone is served by its next attempt
}

// writeRefusal answers with the verdict that an error stands for.
func writeRefusal(w http.ResponseWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		r = retryable(http.StatusServiceUnavailable, "consumer_unavailable", "")
	}
	if r.result == "" {
		http.Error(w, r.reason, r.status)
		return
	}
	body, err := json.Marshal(contracts.Verdict{Result: r.result, ErrorCode: r.code})
	if err != nil {
		http.Error(w, "the verdict cannot be encoded", http.StatusInternalServerError)
		return
	}
	writeJSON(w, r.status, body)
}
