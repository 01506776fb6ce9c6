package dispatcher

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// settleStore is what the settler needs of the database.
type settleStore interface {
	Settle(ctx context.Context, outcomes []Outcome) ([]Settled, error)
}

// pending is one outcome on its way to the database.
type pending struct {
	outcome Outcome
	claim   *Claimed
	// delay gives the delay for the outcome that replaces this one, should the database refuse it.
	delay func() time.Duration
	// done is called once: with the database's result, or with "" when the outcome was given up and
	// is left to lease recovery.
	done    func(result string)
	refused bool // it already replaces a refused one
}

// settler brings outcomes to the database in batches, bounded by rows, bytes and a few milliseconds,
// and asks again until the database has answered. It never guesses: asking twice is harmless, since
// the database recognises an outcome that it has already recorded.
type settler struct {
	store   settleStore
	config  Settle
	log     *slog.Logger
	weather *weather
	at      func(Point, *Claimed)

	queue chan *pending
	turn  chan struct{} // one worker fills a batch at a time
	over  *pending      // the outcome that did not fit into the last batch; guarded by turn
}

// run settles until the queue is closed and empty, or the context ends.
func (s *settler) run(ctx context.Context) {
	var workers sync.WaitGroup
	for range s.config.Workers {
		workers.Go(func() {
			for batch := s.next(); batch != nil; batch = s.next() {
				s.settle(ctx, batch)
			}
		})
	}
	workers.Wait()
}

// next gives the next batch, nil when there will be none.
func (s *settler) next() []*pending {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	first := s.over
	if s.over = nil; first == nil {
		var open bool
		if first, open = <-s.queue; !open {
			return nil
		}
	}
	batch, size := []*pending{first}, first.outcome.size()
	linger := time.NewTimer(s.config.Linger)
	defer linger.Stop()
	for len(batch) < s.config.MaxRows {
		select {
		case <-linger.C:
			return batch
		case item, open := <-s.queue:
			if !open {
				return batch
			}
			if size += item.outcome.size(); size > s.config.MaxBytes {
				s.over = item
				return batch
			}
			batch = append(batch, item)
		}
	}
	return batch
}

// settle asks until the database has answered. A batch that it will not take, or not in time, is
// halved, so that one bad outcome holds up no other.
func (s *settler) settle(ctx context.Context, batch []*pending) {
	for try := int32(1); ; try++ {
		rows, err := s.ask(ctx, batch)
		if err == nil {
			if try > 1 {
				s.weather.worked("settle")
			}
			s.apply(ctx, batch, rows)
			return
		}
		split := len(batch) > 1 && (itemFault(err) || tookTooLong(err))
		if len(batch) == 1 && itemFault(err) {
			s.giveUp(batch, describe(err))
			return
		}
		if !itemFault(err) && !pause(ctx, s.weather.failed("settle", try, err)) {
			s.giveUp(batch, "stopped before the database answered")
			return
		}
		if split {
			half := len(batch) / 2
			s.settle(ctx, batch[:half])
			s.settle(ctx, batch[half:])
			return
		}
	}
}

func (s *settler) ask(ctx context.Context, batch []*pending) ([]Settled, error) {
	outcomes := make([]Outcome, len(batch))
	for i, item := range batch {
		outcomes[i] = item.outcome
	}
	s.at(BeforeSettle, nil)
	rows, err := s.store.Settle(ctx, outcomes)
	if err == nil {
		s.at(AfterSettle, nil)
	}
	return rows, err
}

// apply acts upon the database's answer for each outcome. One that it calls invalid is replaced by a
// retry under the code that says why; the others are over.
func (s *settler) apply(ctx context.Context, batch []*pending, rows []Settled) {
	var replaced []*pending
	for i, item := range batch {
		s.note(ctx, item, rows[i])
		if rows[i].Result != resultInvalid || item.refused {
			item.done(rows[i].Result)
			continue
		}
		replaced = append(replaced, replacement(item, rows[i].Detail))
	}
	if len(replaced) > 0 {
		s.settle(ctx, replaced)
	}
}

func replacement(item *pending, detail string) *pending {
	instead := *item
	instead.refused = true
	delay := item.delay().Milliseconds()
	instead.outcome = Outcome{Fence: item.outcome.Fence, Kind: Retryable, Code: invalidCode(detail), DelayMs: &delay}
	return &instead
}

// invalidCode gives the code for the invariant that an outcome breaks, the first word of the detail.
func invalidCode(detail string) string {
	invariant, _, _ := strings.Cut(detail, ":")
	switch invariant {
	case "receipt_digest_matches":
		return codeReceiptDigestMismatch
	case "ack_matches_member", "receipt_matches_member":
		return codeReceiptMemberMismatch
	}
	return codeAckMalformed
}

// giveUp leaves outcomes to lease recovery.
func (s *settler) giveUp(batch []*pending, why string) {
	for _, item := range batch {
		s.log.Error("outcome not recorded, left to lease recovery", append(ids(item.claim),
			"outcome", item.outcome.Kind, "code", item.outcome.Code, "error", why)...)
		item.done("")
	}
}

// note logs what became of an outcome.
func (s *settler) note(ctx context.Context, item *pending, row Settled) {
	if item.outcome.Kind == Acknowledged && row.Result != resultStale && row.Result != resultInvalid &&
		!s.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := append(ids(item.claim), "result", row.Result)
	if row.Detail != "" {
		attrs = append(attrs, "detail", row.Detail)
	}
	if item.outcome.Kind != Acknowledged {
		attrs = append(attrs, "code", item.outcome.Code)
	}
	if item.outcome.DelayMs != nil {
		attrs = append(attrs, "delay_ms", *item.outcome.DelayMs)
	}
	switch {
	case row.Result == resultStale:
		s.log.WarnContext(ctx, "outcome came too late, dropped", attrs...)
	case row.Result == resultInvalid && item.refused:
		s.log.ErrorContext(ctx, "outcome refused twice, left to lease recovery", attrs...)
	case row.Result == resultInvalid:
		s.log.WarnContext(ctx, "acknowledgement refused, retrying the delivery", attrs...)
	case row.Result == resultQuarantined:
		s.log.ErrorContext(ctx, "delivery quarantined", attrs...)
	case item.outcome.Kind == Retryable:
		s.log.InfoContext(ctx, "delivery will be retried", attrs...)
	default:
		s.log.DebugContext(ctx, "delivery settled", attrs...)
	}
}

// ids gives the log fields that name an attempt.
func ids(c *Claimed) []any {
	return []any{
		"event_id", c.EventID, "event_type", c.EventType, "destination", c.Destination,
		"attempt_id", c.AttemptID, "attempt", c.AttemptCount,
	}
}
