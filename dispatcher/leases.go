package dispatcher

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// leaseStore is what leases need of the database.
type leaseStore interface {
	Renew(ctx context.Context, fences []Fence, lease time.Duration) ([]Settled, error)
}

// renewRows bounds one renewal. The database may be set to take fewer; then batches are halved.
const renewRows = 500

// leases holds the leases of one destination from claim to settle and renews them meanwhile.
//
// The database's clock alone decides when a lease has expired. To know when to stop on its own, the
// dispatcher reckons from the moment before it asked: that deadline, on the monotonic clock, is
// never later than the database's. A call is cancelled when its deadline passes unconfirmed or when
// the database says that the attempt is no longer current.
type leases struct {
	name    string
	store   leaseStore
	length  time.Duration
	every   time.Duration // 0: no renewal
	log     *slog.Logger
	weather *weather
	at      func(Point, *Claimed)

	mu   sync.Mutex
	held map[string]*lease
}

// lease is one attempt that is in hand.
type lease struct {
	fence  Fence
	asked  time.Time // when the claim or the last confirmed renewal was asked for
	cancel context.CancelCauseFunc
	expiry *time.Timer
	ended  bool // the call is over, only the outcome is on its way
	lost   bool
}

// hold starts to keep a claim's lease and gives the context of its call.
func (l *leases) hold(ctx context.Context, c *Claimed, asked time.Time) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	kept := &lease{fence: c.fence(), asked: asked, cancel: cancel}
	kept.expiry = time.AfterFunc(time.Until(asked.Add(l.length)), func() { cancel(errLeaseLost) })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[c.AttemptID] = kept
	return ctx
}

// answered notes that the call is over. The lease is kept until its outcome is settled.
func (l *leases) answered(attemptID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kept := l.held[attemptID]; kept != nil {
		kept.ended = true
		kept.expiry.Stop()
	}
}

// release ends it: the attempt is settled, or given up.
func (l *leases) release(attemptID string) {
	l.mu.Lock()
	kept := l.held[attemptID]
	delete(l.held, attemptID)
	l.mu.Unlock()
	if kept != nil {
		kept.expiry.Stop()
		kept.cancel(nil)
	}
}

// run renews until the context ends.
func (l *leases) run(ctx context.Context) {
	if l.every == 0 {
		return
	}
	try := int32(0)
	for wait := l.every; pause(ctx, wait); {
		if err := l.renewAll(ctx); err != nil {
			try++
			wait = min(l.weather.failed("renew "+l.name, try, err), l.every)
			continue
		}
		if try > 0 {
			l.weather.worked("renew " + l.name)
		}
		try, wait = 0, l.every
	}
}

// renewAll renews what was last confirmed at least half a period ago, in bounded batches. A lease that
// the database refuses alone holds up no other.
func (l *leases) renewAll(ctx context.Context) error {
	var refused error
	for batch := range slices.Chunk(l.due(time.Now().Add(-l.every/2)), renewRows) {
		err := l.renew(ctx, batch)
		if err != nil && !itemFault(err) {
			return err
		}
		refused = errors.Join(refused, err)
	}
	return refused
}

// renew asks for one batch. A batch that the database will not take is halved: a setting that bounds
// it may have been lowered, or one item is bad.
func (l *leases) renew(ctx context.Context, batch []Fence) error {
	l.at(BeforeRenew, nil)
	asked := time.Now()
	rows, err := l.store.Renew(ctx, batch, l.length)
	if len(batch) > 1 && itemFault(err) {
		half := len(batch) / 2
		return errors.Join(l.renew(ctx, batch[:half]), l.renew(ctx, batch[half:]))
	}
	if err != nil {
		return err
	}
	l.at(AfterRenew, nil)
	for i, row := range rows {
		l.renewed(batch[i], row.Result, asked)
	}
	return nil
}

func (l *leases) due(before time.Time) []Fence {
	l.mu.Lock()
	defer l.mu.Unlock()
	var fences []Fence
	for _, kept := range l.held {
		if !kept.lost && !kept.asked.After(before) {
			fences = append(fences, kept.fence)
		}
	}
	return fences
}

// renewed acts upon the database's answer for one lease. Any answer but a renewal means that the
// attempt is lost, unless its outcome has just been settled.
func (l *leases) renewed(f Fence, result string, asked time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.held[f.AttemptID]
	switch {
	case kept == nil:
	case result == resultRenewed:
		kept.asked = asked
		if !kept.ended {
			kept.expiry.Reset(time.Until(asked.Add(l.length)))
		}
	case kept.ended:
		kept.lost = true
	default:
		kept.lost = true
		l.log.Warn("lease lost, call cancelled", "event_id", f.EventID, "destination", f.Destination,
			"attempt_id", f.AttemptID, "result", result)
		kept.cancel(errLeaseLost)
	}
}
