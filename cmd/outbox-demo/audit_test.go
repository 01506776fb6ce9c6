package main

import (
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/internal/scenario"
)

// sound is a ledger with one event, delivered to the projector, in which nothing is wrong.
func sound() (ledger, *cast, performance) {
	c := &cast{
		tracker: consumers.NewTracker(), receivers: map[consumers.Kind]*consumers.Receiver{},
		failed: make(chan consumers.Delivery, plannedFailures),
	}
	c.tracker.Observe(consumers.KindOperations, "e1")
	for range plannedFailures {
		var d consumers.Delivery
		d.Destination, d.Envelope.EventID = "core_operations", "e1"
		c.failed <- d
	}
	receipt := receiptRecord{ref: "r1", digest: "d1"}
	l := ledger{
		events:     []storedEvent{{id: "e1", digest: "aa", published: true, set: contracts.DefinitionIdentity{DeliverySetVersion: "v1"}}},
		deliveries: []storedDelivery{{eventID: "e1", destination: "core_operations", status: "acknowledged", attempts: 3, receiptRecord: receipt}},
		timeline:   map[string]int{"e1": 1},
		receipts:   map[string]receiptRecord{"e1": receipt},
	}
	return l, c, performance{events: []scenario.Appended{{EventID: "e1", Digest: "aa"}}}
}

func TestAuditFindsWhatIsWrong(t *testing.T) {
	release := contracts.DefinitionIdentity{DeliverySetVersion: "v1"}
	checks := map[string]func(ledger, *cast, performance) string{
		"appended":  func(l ledger, _ *cast, p performance) string { return l.notAsAppended(p) },
		"set":       func(l ledger, _ *cast, _ performance) string { return l.otherSet(release) },
		"published": func(l ledger, _ *cast, _ performance) string { return l.unpublished() },
		"acked":     func(l ledger, _ *cast, _ performance) string { return l.unacknowledged() },
		"once":      func(l ledger, c *cast, _ performance) string { return l.notAppliedOnce(c) },
		"receipt":   func(l ledger, c *cast, _ performance) string { return l.otherReceipt(c) },
		"retried":   func(l ledger, c *cast, _ performance) string { return l.notTriedAgain(c) },
	}
	for name, check := range checks {
		if complaint := check(sound()); complaint != "" {
			t.Errorf("%s complains of a sound ledger: %s", name, complaint)
		}
	}
	for _, test := range []struct {
		check, fault string
		spoil        func(*ledger, *cast, *performance)
	}{
		{"appended", "an event is missing", func(_ *ledger, _ *cast, p *performance) { p.events[0].EventID = "e2" }},
		{"appended", "a digest differs", func(l *ledger, _ *cast, _ *performance) { l.events[0].digest = "bb" }},
		{"appended", "an event too many", func(l *ledger, _ *cast, _ *performance) { l.events = append(l.events, storedEvent{}) }},
		{"set", "another set", func(l *ledger, _ *cast, _ *performance) { l.events[0].set.DeliverySetVersion = "v2" }},
		{"published", "not published", func(l *ledger, _ *cast, _ *performance) { l.events[0].published = false }},
		{"acked", "still leased", func(l *ledger, _ *cast, _ *performance) { l.deliveries[0].status = "leased" }},
		{"once", "never applied", func(l *ledger, _ *cast, _ *performance) { l.timeline = nil }},
		{"once", "applied twice", func(_ *ledger, c *cast, _ *performance) { c.tracker.Observe(consumers.KindOperations, "e1") }},
		{"once", "applied without a delivery", func(l *ledger, _ *cast, _ *performance) { l.timeline["e2"] = 1 }},
		{"receipt", "another receipt", func(l *ledger, _ *cast, _ *performance) { l.deliveries[0].digest = "d2" }},
		{"receipt", "an unknown consumer", func(l *ledger, _ *cast, _ *performance) { l.deliveries[0].destination = "elsewhere" }},
		{"retried", "one attempt", func(l *ledger, _ *cast, _ *performance) { l.deliveries[0].attempts = 1 }},
		{"retried", "one failure", func(_ *ledger, c *cast, _ *performance) { <-c.failed }},
	} {
		l, c, p := sound()
		test.spoil(&l, c, &p)
		if checks[test.check](l, c, p) == "" {
			t.Errorf("%s does not see: %s", test.check, test.fault)
		}
	}
}
