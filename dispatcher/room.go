package dispatcher

import (
	"context"
	"sync"
	"time"
)

// room counts what one destination has in hand, so that a claim asks for no more than can be
// delivered at once. Calls hold slots; outcomes that wait for the database are bounded too, so that
// a slow database stops the claims instead of filling the memory.
type room struct {
	maxCalls int
	maxRows  int // of one claim
	maxHeld  int // calls and outcomes that wait for the database
	linger   time.Duration

	mu    sync.Mutex
	calls int
	held  int
	freed chan struct{}
}

func newRoom(d Delivery, backlog int) *room {
	return &room{
		maxCalls: d.Concurrency,
		maxRows:  d.Claim.MaxRows,
		maxHeld:  d.Concurrency + backlog,
		linger:   d.Claim.Linger,
		freed:    make(chan struct{}, 1),
	}
}

// free gives how many deliveries may be claimed now.
func (r *room) free() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(min(r.maxCalls-r.calls, r.maxHeld-r.held, r.maxRows), 0)
}

// wait blocks until there is room and gives how much. It waits a little longer for a quarter of the
// slots to be free, so that a busy destination is not claimed for row by row.
func (r *room) wait(ctx context.Context) (int, error) {
	enough := max(min(r.maxCalls/4, r.maxRows), 1)
	var linger <-chan time.Time
	for {
		free := r.free()
		if free >= enough {
			return free, ctx.Err()
		}
		if free > 0 && linger == nil {
			timer := time.NewTimer(r.linger)
			defer timer.Stop()
			linger = timer.C
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-r.freed:
		case <-linger:
			return r.free(), ctx.Err()
		}
	}
}

// take counts deliveries that were claimed; each holds a slot until called and a place until settled.
func (r *room) take(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls += n
	r.held += n
}

// called frees the slot of one call.
func (r *room) called() { r.change(func() { r.calls-- }) }

// settled frees the place of one outcome.
func (r *room) settled() { r.change(func() { r.held-- }) }

func (r *room) change(do func()) {
	r.mu.Lock()
	do()
	r.mu.Unlock()
	select {
	case r.freed <- struct{}{}:
	default:
	}
}
