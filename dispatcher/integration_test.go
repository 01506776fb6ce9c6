package dispatcher

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// dispatch runs a dispatcher against a real database until the test, or stop, ends it.
func dispatch(t *testing.T, config Config, pool *pgxpool.Pool, options Options) (stop func()) {
	t.Helper()
	if options.Logger == nil {
		options.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	d, err := New(config, pool, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- d.Run(ctx)
		close(ended)
	}()
	stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func TestEveryDestinationIsDeliveredTo(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	appendEach(t, admin, 100)
	config := serverConfig(consumers(t, accept))
	stop := dispatch(t, config, dispatcherPool(t, db, config), Options{})
	awaitPublished(t, admin)
	stop()
	tap.ResultsEq(t, admin, tap.Rows{{"acknowledged", 600}}, "select status, count(*)::int from outbox.deliveries group by status")
	tap.ResultsEq(t, admin, tap.Rows{{"acknowledged", 600}}, "select outcome, count(*)::int from outbox.delivery_attempt_finishes group by outcome")
	sound(t, admin)
}

func TestNoTransactionIsOpenDuringACall(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	fixture.AppendMany(t, admin, 4)
	calling, release := make(chan struct{}, 4), make(chan struct{})
	config := serverConfig(consumers(t, func(w http.ResponseWriter, r *http.Request) {
		calling <- struct{}{}
		<-release
		accept(w, r)
	}))
	config.Defaults.Poll.Ceiling = config.Defaults.Poll.Floor
	dispatch(t, config, dispatcherPool(t, db, config), Options{})
	for range 4 {
		<-calling
	}
	for range 20 {
		tap.IsEmpty(t, admin, `select query from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'
			and state_change < clock_timestamp() - interval '1 second'`)
	}
	close(release)
	awaitPublished(t, admin)
}

func TestTerminatedBackendsAreWeather(t *testing.T) {
	t.Parallel()
	const rounds = 10
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	appendEach(t, admin, 50)
	config := serverConfig(consumers(t, accept))
	config.Settle.MaxRows = 5 // many transactions
	pool := dispatcherPool(t, db, config)
	settling := make(chan struct{})
	stop := dispatch(t, config, pool, Options{At: func(p Point, _ *Claimed) {
		if p == BeforeSettle {
			select {
			case settling <- struct{}{}:
			default:
			}
		}
	}})
	killed := 0
	for range rounds {
		<-settling
		killed += tap.Value[int](t, admin, "select count(pg_terminate_backend(pid))::int from pg_stat_activity where usename = $1",
			pool.Config().ConnConfig.User)
	}
	awaitPublished(t, admin)
	stop()
	if killed < rounds {
		t.Errorf("%d backends were terminated", killed)
	}
	sound(t, admin)
}

func TestAServerThatTakesNoWritesIsWeather(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	config := serverConfig(consumers(t, accept))
	pool := dispatcherPool(t, db, config)
	readOnly := func(value string) {
		tap.Exec(t, admin, `do $$ begin execute format('alter database %I set default_transaction_read_only = `+value+`', current_database()); end $$`)
		tap.Exec(t, admin, "select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", pool.Config().ConnConfig.User)
	}
	fixture.AppendMany(t, admin, 20)
	readOnly("on")
	refused := make(chan struct{}, 1)
	dispatch(t, config, pool, Options{Logger: logTo(func(line string) {
		if strings.Contains(line, "25006") {
			select {
			case refused <- struct{}{}:
			default:
			}
		}
	})})
	<-refused
	tap.Is(t, tap.Value[int](t, admin, "select count(*)::int from outbox.delivery_attempt_starts"), 0, "attempts while read-only")
	readOnly("off")
	awaitPublished(t, admin)
	sound(t, admin)
}

func TestWhatConsumersSayIsRecorded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer func(fixture.Claimed) any
		status int
		want   tap.Row // outcome, disposition and code of the first attempt
	}{
		"refused": {func(fixture.Claimed) any {
			return map[string]any{"result": "non_retryable", "errorCode": "event_unprocessable", "errorRef": "log 1"}
		}, 422, tap.Row{"non_retryable", "quarantine", "event_unprocessable"}},
		"refused under a code of its own": {func(fixture.Claimed) any {
			return map[string]any{"result": "non_retryable", "errorCode": "My Code"}
		}, 200, tap.Row{"non_retryable", "quarantine", "unregistered_error_code"}},
		"refused under a long code": {func(fixture.Claimed) any {
			return map[string]any{"result": "non_retryable", "errorCode": strings.Repeat("é", 256)}
		}, 422, tap.Row{"non_retryable", "quarantine", "unregistered_error_code"}},
		"later": {func(fixture.Claimed) any {
			return map[string]any{"result": "retryable", "errorCode": "revision_gap", "retryAfterMs": 200}
		}, 503, tap.Row{"retryable", "retry", "revision_gap"}},
		"error page": {func(fixture.Claimed) any { return "oops" }, 500, tap.Row{"retryable", "retry", "http_server_error"}},
		"nothing":    {func(fixture.Claimed) any { return nil }, 200, tap.Row{"retryable", "retry", "ack_malformed"}},
		"another consumer's": {func(c fixture.Claimed) any {
			c.ConsumerName = "somebody_else"
			return map[string]any{"result": "acknowledged", "ack": fixture.Ack(c, fixture.Receipt(c)), "receipt": fixture.Receipt(c)}
		}, 200, tap.Row{"retryable", "retry", "ack_malformed"}},
		"of another projection": {func(c fixture.Claimed) any {
			shadow := "shadow"
			c.RequiredProjectionName = &shadow
			return map[string]any{"result": "acknowledged", "ack": fixture.Ack(c, fixture.Receipt(c)), "receipt": fixture.Receipt(c)}
		}, 200, tap.Row{"retryable", "retry", "receipt_member_mismatch"}},
		"wrong digest": {func(c fixture.Claimed) any {
			receipt := fixture.Receipt(c)
			receipt["projectionVersion"] = "changed after sealing"
			return map[string]any{"result": "acknowledged", "ack": fixture.Ack(c, receipt), "receipt": receipt}
		}, 200, tap.Row{"retryable", "retry", "receipt_digest_mismatch"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := testdb.NewActive(t)
			admin := db.Conn(t)
			fixture.AppendNew(t, admin)
			var calls atomic.Int32
			config := serverConfig(consumers(t, func(w http.ResponseWriter, r *http.Request) {
				if calls.Add(1) > 1 {
					accept(w, r)
					return
				}
				claim, err := deliveryOf(r)
				if err != nil {
					t.Error(err)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.status)
				_, _ = w.Write(mustJSON(test.answer(claim)))
			}))
			stop := dispatch(t, config, dispatcherPool(t, db, config), Options{})
			if test.want[1] == "retry" {
				awaitPublished(t, admin)
			} else {
				await(t, "quarantined", func() bool {
					t.Helper()
					return tap.Value[int](t, admin, "select count(*)::int from outbox.quarantine") == 1
				})
			}
			stop()
			tap.RowEq(t, admin, test.want, `select f.outcome, f.retry_disposition, f.normalized_error_code
				from outbox.delivery_attempt_starts as s join outbox.delivery_attempt_finishes as f using (attempt_id)
				order by s.lease_token limit 1`)
			sound(t, admin)
		})
	}
}

func TestTheBytesThatAreSentHashToTheStoredDigest(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	fixture.AppendNew(t, admin, fixture.Full(), fixture.Payload(`{"z":1.0,"é":"ü 😀","a":[1e2,-0]}`))
	digests := make(chan string, 1)
	config := serverConfig(consumers(t, func(w http.ResponseWriter, r *http.Request) {
		body := readAll(t, r.Body)
		digests <- contracts.DigestAlgorithm + "=" + hexDigest(body) + " " + r.Header.Get("Outbox-Envelope-Digest")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	dispatch(t, config, dispatcherPool(t, db, config), Options{})
	computed, told, _ := strings.Cut(<-digests, " ")
	stored := tap.Value[string](t, admin, "select 'jcs-sha256-v1=' || encode(event_envelope_sha256, 'hex') from outbox.events")
	tap.Is(t, computed, stored, "the body's digest")
	tap.Is(t, told, stored, "the header's digest")
}

func TestAPausedDestinationGetsNothingUntilItIsResumed(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	tap.Exec(t, admin, "select outbox.pause_destination($1, 'test')", fixture.Operations)
	fixture.AppendMany(t, admin, 5)
	fixture.AppendMany(t, admin, 5, fixture.Type(fixture.RunClosed))
	var early atomic.Int32
	var resumed atomic.Bool
	config := serverConfig(consumers(t, func(w http.ResponseWriter, r *http.Request) {
		if !resumed.Load() && r.Header.Get("Outbox-Destination") == fixture.Operations {
			early.Add(1)
		}
		accept(w, r)
	}))
	dispatch(t, config, dispatcherPool(t, db, config), Options{})
	await(t, "the others are published", func() bool {
		t.Helper()
		return tap.Value[int](t, admin, "select count(*)::int from outbox.event_publications") == 5
	})
	resumed.Store(true)
	tap.Exec(t, admin, "select outbox.resume_destination($1, 'test')", fixture.Operations)
	awaitPublished(t, admin)
	tap.Is(t, early.Load(), 0, "deliveries while paused")
}
