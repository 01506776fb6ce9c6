package dispatcher

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/oceanway/outbox/internal/pgerr"
)

var errRefusedDelay = errors.New("the database lets no retry wait so long")

// askStore asks the database whether it would take a call, and changes nothing.
type askStore interface {
	AskClaim(ctx context.Context, r claimRequest) error
	AskRecover(ctx context.Context, limit int, delay time.Duration) error
	AskDelay(ctx context.Context, destination string, delay time.Duration) error
}

// question is one value, or some, of the configuration that the database has a say in.
type question struct {
	ask func(context.Context) error
	// paths names the setting behind each argument that the database may refuse, "" the one behind
	// everything else.
	paths map[string]string
}

// questions are all that this configuration leaves to the database: which destinations there are, and
// the bounds of its functions.
func (d *Dispatcher) questions() []question {
	recovery := d.config.Recovery
	all := []question{{
		ask:   func(ctx context.Context) error { return d.store.AskRecover(ctx, recovery.Limit, recovery.Delay) },
		paths: map[string]string{"p_limit": "recovery.limit", "p_delay": "recovery.delay", "": "recovery"},
	}}
	for _, l := range d.lanes {
		path := "destinations." + l.name
		request := l.request(min(l.config.Concurrency, l.config.Claim.MaxRows), nil)
		all = append(all, question{
			ask: func(ctx context.Context) error { return d.store.AskClaim(ctx, request) },
			paths: map[string]string{
				"p_destination": path, "p_worker": "worker", "p_lease": "lease.duration",
				"p_limit": path + ".claim.max_rows", "p_max_bytes": path + ".claim.max_bytes", "": path,
			},
		})
		delays := map[string]time.Duration{"backoff": l.config.Backoff.Ceiling, "retry_after": l.config.RetryAfter.Ceiling}
		for _, name := range slices.Sorted(maps.Keys(delays)) {
			all = append(all, question{
				ask:   func(ctx context.Context) error { return d.store.AskDelay(ctx, l.name, delays[name]) },
				paths: map[string]string{"": path + "." + name + ".ceiling"},
			})
		}
	}
	return all
}

// accepted asks the database whether it takes this configuration. What it refuses comes back as a
// *ConfigError; any other error means that ctx has ended.
func (d *Dispatcher) accepted(ctx context.Context) error {
	for _, q := range d.questions() {
		if err := d.put(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// put asks one question, for as long as it takes to get an answer.
func (d *Dispatcher) put(ctx context.Context, q question) error {
	const what = "check the configuration"
	for try := int32(1); ; try++ {
		err := q.ask(ctx)
		switch {
		case err == nil:
			if try > 1 {
				d.weather.worked(what)
			}
			return nil
		case errors.Is(err, errRefusedDelay) || itemFault(err):
			return d.config.refused(q.paths, err)
		case ctx.Err() != nil || !pause(ctx, d.weather.failed(what, try, err)):
			return err
		}
	}
}

// refused blames the setting behind the argument that the database refused.
func (c Config) refused(paths map[string]string, err error) error {
	path, reason := paths[""], "the database refuses it: "+describe(err)
	var report *pgerr.Error
	if errors.As(err, &report) && errors.Is(err, pgerr.ErrArgumentInvalid) {
		if named, known := paths[report.Detail]; known {
			path = named
		}
		reason = "the database refuses it: " + report.SQLState + " " + report.Invariant + ": " + report.Hint
	}
	if errors.Is(err, errRefusedDelay) {
		reason = err.Error()
	}
	return c.blame(path, reason, err)
}
