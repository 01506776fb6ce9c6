package dispatcher

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/oceanway/outbox/contracts"
)

// claimStore is what a lane needs of the database.
type claimStore interface {
	Claim(ctx context.Context, r claimRequest) ([]Claimed, error)
}

// lane is the loop of one destination. Lanes share the database's connections and the settler, and
// nothing else: a destination that hangs holds up no other.
type lane struct {
	name    string
	source  string
	worker  string
	config  Destination
	to      *url.URL
	store   claimStore
	gate    chan struct{} // bounds the claims of all lanes that run at once
	leases  *leases
	settler *settler
	room    *room
	http    http.RoundTripper
	schemas *contracts.Registry
	log     *slog.Logger
	weather *weather
	random  func(int64) int64
	at      func(Point, *Claimed)
}

// run claims and delivers until ctx ends, then waits for the calls in flight. calls outlives ctx by
// the drain time and ends them.
func (l *lane) run(ctx, calls context.Context) {
	var inFlight sync.WaitGroup
	defer inFlight.Wait()
	polls := poll{bounds: l.config.Poll}
	scans := scan{every: l.config.Claim.ScanEvery}
	for try := int32(1); ; {
		limit, err := l.room.wait(ctx)
		if err != nil {
			return
		}
		asked := time.Now()
		after := scans.hint(asked)
		batch, err := l.claim(ctx, calls, limit, after)
		if err != nil {
			if ctx.Err() != nil || !pause(ctx, l.weather.failed("claim "+l.name, try, err)) {
				return
			}
			try++
			continue
		}
		if try > 1 {
			l.weather.worked("claim " + l.name)
		}
		try = 1
		ended := time.Now()
		scans.done(after != nil, asked, ended, batch)
		l.room.take(len(batch))
		for i := range batch {
			c := &batch[i]
			held := l.leases.hold(calls, c, asked)
			inFlight.Go(func() { l.deliver(ctx, held, c) })
		}
		short := len(batch) < limit
		wait := scans.wait(after != nil, short, polls.after(len(batch), limit), ended)
		if !pause(ctx, wait) {
			return
		}
	}
}

// claim asks for so many deliveries. Once asked it waits for the answer even if ctx ends, so that
// what was claimed can be released instead of waiting for its lease to expire.
func (l *lane) claim(ctx, calls context.Context, limit int, after *position) ([]Claimed, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case l.gate <- struct{}{}:
	}
	defer func() { <-l.gate }()
	l.at(BeforeClaim, nil)
	batch, err := l.store.Claim(calls, l.request(limit, after))
	if err == nil && len(batch) > 0 {
		l.at(AfterClaim, &batch[0])
	}
	return batch, err
}

// request words a claim.
func (l *lane) request(limit int, after *position) claimRequest {
	return claimRequest{
		destination: l.name,
		worker:      l.worker,
		limit:       limit,
		lease:       l.leases.length,
		after:       after,
		maxBytes:    l.config.Claim.MaxBytes,
	}
}

// deliver makes one attempt and hands its outcome to the settler. stop ends when the dispatcher
// stops: what was not sent by then is given back.
func (l *lane) deliver(stop, call context.Context, c *Claimed) {
	verdict := l.attempt(stop, call, c)
	l.leases.answered(c.AttemptID)
	l.room.called()
	c.EventEnvelope = nil
	l.settler.queue <- &pending{
		outcome: l.outcome(c, verdict),
		claim:   c,
		delay:   func() time.Duration { return exponential(l.config.Backoff, c.AttemptCount, l.random) },
		done: func(string) {
			l.leases.release(c.AttemptID)
			l.room.settled()
		},
	}
}

// attempt is the way of one delivery to its verdict.
func (l *lane) attempt(stop, call context.Context, c *Claimed) Verdict {
	verdict, intact := verify(c)
	if !intact {
		return verdict
	}
	if stop.Err() != nil {
		return Verdict{Kind: Retryable, Code: codeReleasedUnsent}
	}
	l.at(BeforeCall, c)
	call, cancel := context.WithTimeoutCause(call, l.config.CallTimeout, errCallTimeout)
	defer cancel()
	started := time.Now()
	answer := post(call, l.http, l.to, headers(l.source, c, started), c.EventEnvelope, l.config.MaxResponseBytes)
	l.at(AfterCall, c)
	verdict = Classify(l.schemas, answer, c.receipt(), time.Now())
	l.note(c, answer, verdict, time.Since(started))
	return verdict
}

// outcome words a verdict for the database.
func (l *lane) outcome(c *Claimed, v Verdict) Outcome {
	outcome := Outcome{Fence: c.fence(), Kind: v.Kind, Code: v.Code, Ref: v.Ref}
	switch v.Kind {
	case Acknowledged:
		outcome.Ack, outcome.Receipt = v.Ack, v.Receipt
	case NonRetryable:
		outcome.Reason = sanitise(v.Code, longestRef)
	case Retryable:
		delay := l.delay(c, v).Milliseconds()
		outcome.DelayMs = &delay
	}
	return outcome
}

// delay gives the time until a retry.
func (l *lane) delay(c *Claimed, v Verdict) time.Duration {
	switch {
	case v.Code == codeReleasedUnsent:
		return 0
	case v.Asked:
		return requested(l.config.RetryAfter, v.RetryAfter, l.random)
	}
	return exponential(l.config.Backoff, c.AttemptCount, l.random)
}

// note logs a call that brought no acknowledgement. An error of the transport names addresses, never
// a body.
func (l *lane) note(c *Claimed, a Answer, v Verdict, took time.Duration) {
	if v.Kind == Acknowledged {
		return
	}
	attrs := append(ids(c), "status", a.Status, "code", v.Code, "took_ms", took.Milliseconds())
	if a.Err != nil && !errors.Is(a.Err, errDrained) {
		attrs = append(attrs, "error", a.Err.Error())
	}
	l.log.Debug("delivery was not acknowledged", attrs...)
}
