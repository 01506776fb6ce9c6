package consumers

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/oceanway/outbox/contracts"
)

// ReceiverOptions are the parts of a receiver that a caller may choose. The zero value is a well-behaved receiver.
type ReceiverOptions struct {
	Billing *Billing                               // shared by the two billing receivers; nil: a state of its own
	Faults  *Faults                                // nil: never misbehaves
	Observe func(destination Kind, eventID string) // called once for each event, when its receipt is committed
	Clock   func() time.Time                       // time of a receipt; nil: the wall clock
	Schemas *contracts.Registry                    // judge what it is sent; nil: loads them
}

// judge decides what an event means that has no receipt yet, changes the consumer's state and returns the receipt's
// candidate. On an error nothing has changed.
type judge interface {
	receive(d Delivery) (fields, error)
}

// Receiver is a consumer that keeps its receipts in memory. Its receipt for an event is written once, for life.
type Receiver struct {
	member  member
	options ReceiverOptions
	judge   judge

	mu       sync.Mutex
	receipts map[string]stored
}

// stored is the first receipt of an event with the answer that carries it.
type stored struct {
	digest  string
	receipt []byte
	answer  []byte
}

// NewReceiver returns the receiver of one of the three destinations other than [KindOperations].
func NewReceiver(kind Kind, options ReceiverOptions) (*Receiver, error) {
	if options.Billing == nil {
		options.Billing = NewBilling()
	}
	if options.Clock == nil {
		options.Clock = time.Now
	}
	m, err := bound(kind, options.Schemas)
	if err != nil {
		return nil, err
	}
	rc := &Receiver{member: m, options: options, receipts: map[string]stored{}}
	ids := identities{m.schemas}
	switch kind {
	case KindMetering:
		rc.judge = newMetering(ids)
	case KindCoordinator:
		rc.judge = &coordinator{ids: ids, billing: options.Billing}
	case KindCatchUp:
		rc.judge = &catchUp{ids: ids, billing: options.Billing}
	default:
		return nil, fmt.Errorf("no receiver for destination %q", kind)
	}
	return rc, nil
}

// ServeHTTP answers one delivery.
func (rc *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	serve(w, r, rc.member, rc.options.Faults, rc.apply)
}

// Receipt returns the receipt of an event, if there is one.
func (rc *Receiver) Receipt(eventID string) ([]byte, bool) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	s, ok := rc.receipts[eventID]
	return s.receipt, ok
}

// Len is the number of events that have a receipt.
func (rc *Receiver) Len() int {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return len(rc.receipts)
}

func (rc *Receiver) apply(d Delivery) ([]byte, error) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if first, ok := rc.receipts[d.Envelope.EventID]; ok {
		if first.digest != d.Digest {
			return nil, nonRetryable("payload_digest_conflict", "the event was received with another digest")
		}
		return first.answer, nil
	}
	candidate, err := rc.judge.receive(d)
	if err != nil {
		return nil, err
	}
	receipt, err := seal(rc.member, candidate, rc.options.Clock())
	if err != nil {
		return nil, err
	}
	answer, err := acknowledgement(rc.member, receipt)
	if err != nil {
		return nil, err
	}
	rc.receipts[d.Envelope.EventID] = stored{digest: d.Digest, receipt: receipt, answer: answer}
	if rc.options.Observe != nil {
		rc.options.Observe(Kind(rc.member.destination), d.Envelope.EventID)
	}
	return answer, nil
}
