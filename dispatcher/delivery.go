package dispatcher

import (
	"encoding/json"

	"github.com/oceanway/outbox/contracts"
)

// Claimed is one delivery that claim_deliveries handed to this dispatcher. Digests are lower-case
// hex; the two times are microseconds of the database's clock and serve as a position only. What the
// delivery froze (set, receipt, projection) is the only source of what is expected of its consumer.
type Claimed struct {
	EventID         string
	Destination     string
	ConsumerName    string
	AttemptID       string
	LeaseToken      int64
	AttemptCount    int32
	AvailableMicros int64
	CreatedMicros   int64
	EventType       string
	AggregateID     string

	EventEnvelope                       []byte
	EventEnvelopeDigestAlgorithmVersion string
	EventEnvelopeSha256                 string

	DeliverySetVersion                          string
	DeliverySetDefinitionDigestAlgorithmVersion string
	DeliverySetDefinitionDigest                 string

	ExpectedReceiptType          string
	ExpectedReceiptSchemaVersion string
	RequiredProjectionName       *string
	RequiredProjectionVersion    *string
}

// fence gives what every later word about this attempt must carry.
func (c *Claimed) fence() Fence {
	return Fence{EventID: c.EventID, Destination: c.Destination, AttemptID: c.AttemptID, LeaseToken: c.LeaseToken}
}

// receipt gives the receipt that the delivery wants.
func (c *Claimed) receipt() Receipt {
	return Receipt{Type: c.ExpectedReceiptType, SchemaVersion: c.ExpectedReceiptSchemaVersion}
}

// Fence names one attempt. While it is the delivery's current attempt, its outcome counts.
type Fence struct {
	EventID     string `json:"eventId"`
	Destination string `json:"destination"`
	AttemptID   string `json:"attemptId"`
	LeaseToken  int64  `json:"leaseToken"`
}

// Kind is what became of an attempt.
type Kind string

// The three outcomes a dispatcher can report.
const (
	Acknowledged Kind = contracts.Acknowledged
	Retryable    Kind = contracts.Retryable
	NonRetryable Kind = contracts.NonRetryable
)

// Outcome is one item of settle_attempts.
type Outcome struct {
	Fence
	Kind    Kind            `json:"outcome"`
	Ack     json.RawMessage `json:"ack,omitempty"`
	Receipt json.RawMessage `json:"receipt,omitempty"`
	Code    string          `json:"errorCode,omitempty"`
	Ref     string          `json:"errorRef,omitempty"`
	DelayMs *int64          `json:"delayMs,omitempty"`
	Reason  string          `json:"reason,omitempty"`
}

// size is about what the outcome adds to the text of a batch.
func (o *Outcome) size() int64 {
	const rest = 400
	return int64(len(o.Ack) + len(o.Receipt) + len(o.Code) + len(o.Ref) + len(o.Reason) + rest)
}

// Settled is what the database made of one outcome or renewal.
type Settled struct {
	Result string `db:"result"`
	Detail string `db:"detail"`
}

// The results a dispatcher acts upon; the others are a success.
const (
	resultRenewed     = "renewed"
	resultStale       = "stale"
	resultInvalid     = "invalid"
	resultQuarantined = "quarantined"
)

// Recovered is one delivery whose expired lease was taken back.
type Recovered struct {
	EventID     string `db:"event_id"`
	Destination string `db:"destination"`
	AttemptID   string `db:"attempt_id"`
}
