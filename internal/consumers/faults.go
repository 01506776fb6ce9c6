package consumers

import (
	"net/http"
	"sync"
)

// Action is one way to misbehave.
type Action int

// The ways to misbehave. The first two leave nothing behind; the last two commit first, so that a redelivery must be
// answered with the first receipt.
const (
	FailBefore Action = iota + 1 // answer retryable with 503
	HangBefore                   // hold the call until the caller gives up
	DropAfter                    // commit, then cut the connection
	HangAfter                    // commit, then hold the call until the caller gives up
)

// Rule says which deliveries meet which action, and how often. Empty texts match every delivery.
type Rule struct {
	Destination   Kind
	EventType     string
	CorrelationID string
	Action        Action
	Times         int
	OnHit         func(Delivery) // called when a call meets the rule; after the commit for the last two actions
}

func (r Rule) matches(d Delivery) bool {
	return r.Times > 0 &&
		(r.Destination == "" || string(r.Destination) == d.Destination) &&
		(r.EventType == "" || r.EventType == d.Envelope.EventType) &&
		(r.CorrelationID == "" || r.CorrelationID == d.Envelope.CorrelationID)
}

// Faults makes consumers misbehave by rule. The zero value and nil never do.
type Faults struct {
	mu    sync.Mutex
	rules []Rule
}

// Add appends a rule; of several that match a call the first one that is not used up counts.
func (f *Faults) Add(r Rule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = append(f.rules, r)
}

// take uses up one of the times of the first matching rule.
func (f *Faults) take(d Delivery) Rule {
	if f == nil {
		return Rule{}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.rules {
		if f.rules[i].matches(d) {
			f.rules[i].Times--
			return f.rules[i]
		}
	}
	return Rule{}
}

func (r Rule) hit(d Delivery) {
	if r.OnHit != nil {
		r.OnHit(d)
	}
}

// serve verifies a call and answers it, misbehaving as told. apply commits and returns the answer's bytes.
func serve(w http.ResponseWriter, r *http.Request, m member, faults *Faults, apply func(Delivery) ([]byte, error)) {
	d, err := readDelivery(r, m)
	if err != nil {
		writeRefusal(w, err)
		return
	}
	fault := faults.take(d)
	if fault.Action == FailBefore || fault.Action == HangBefore {
		fault.hit(d)
	}
	if fault.Action == FailBefore {
		writeRefusal(w, retryable(http.StatusServiceUnavailable, "consumer_unavailable", "told to fail"))
		return
	}
	if fault.Action == HangBefore {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	answer, err := apply(d)
	if fault.Action == DropAfter || fault.Action == HangAfter {
		fault.hit(d)
		if fault.Action == HangAfter {
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		writeRefusal(w, err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}
