package consumers

import (
	"context"
	"fmt"
	"sync"
)

// Tracker counts how often each consumer has applied each event and lets others wait for it. Its Observe method fits
// the Observe options of the consumers.
type Tracker struct {
	mu      sync.Mutex
	applied map[trackedEvent]*tracked
}

type trackedEvent struct {
	destination Kind
	eventID     string
}

type tracked struct {
	times int
	done  chan struct{}
}

// NewTracker returns an empty tracker.
func NewTracker() *Tracker {
	return &Tracker{applied: map[trackedEvent]*tracked{}}
}

func (t *Tracker) entry(destination Kind, eventID string) *tracked {
	key := trackedEvent{destination, eventID}
	e := t.applied[key]
	if e == nil {
		e = &tracked{done: make(chan struct{})}
		t.applied[key] = e
	}
	return e
}

// Observe records that a consumer has applied an event.
func (t *Tracker) Observe(destination Kind, eventID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entry(destination, eventID)
	e.times++
	if e.times == 1 {
		close(e.done)
	}
}

// Times is how often a consumer has applied an event.
func (t *Tracker) Times(destination Kind, eventID string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entry(destination, eventID).times
}

// Wait blocks until a consumer has applied an event, or until the context ends.
func (t *Tracker) Wait(ctx context.Context, destination Kind, eventID string) error {
	t.mu.Lock()
	entry := t.entry(destination, eventID)
	applied, done := entry.times > 0, entry.done
	t.mu.Unlock()
	if applied {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for %s to apply %s: %w", destination, eventID, ctx.Err())
	}
}
