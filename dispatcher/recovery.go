package dispatcher

import (
	"context"
	"log/slog"
	"time"
)

// recoverStore is what recovery needs of the database.
type recoverStore interface {
	Recover(ctx context.Context, limit int, delay time.Duration) ([]Recovered, error)
}

// recovery takes back expired leases, whoever held them and whichever destination they are for: no
// leader is elected and no configured name is matched, so the leases of a dispatcher that is gone,
// or of a destination that is no longer configured, never stay behind.
type recovery struct {
	store   recoverStore
	config  Recovery
	log     *slog.Logger
	weather *weather
	random  func(int64) int64
	at      func(Point, *Claimed)
}

// run recovers until the context ends. The pause varies a little, so that dispatchers that started
// together do not stay together.
func (r *recovery) run(ctx context.Context) {
	try := int32(1)
	for wait := r.jittered(); pause(ctx, wait); {
		r.at(BeforeRecover, nil)
		rows, err := r.store.Recover(ctx, r.config.Limit, r.config.Delay)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			wait = r.weather.failed("recover", try, err)
			try++
			continue
		}
		r.at(AfterRecover, nil)
		if try > 1 {
			r.weather.worked("recover")
		}
		try = 1
		for _, row := range rows {
			r.log.WarnContext(ctx, "expired lease recovered", "event_id", row.EventID, "destination", row.Destination,
				"attempt_id", row.AttemptID)
		}
		wait = r.jittered()
		if len(rows) >= r.config.Limit {
			wait = 0
		}
	}
}

func (r *recovery) jittered() time.Duration {
	spread := int64(r.config.Every / 5)
	return r.config.Every - time.Duration(spread/2) + time.Duration(r.random(spread+1))
}
