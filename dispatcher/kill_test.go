package dispatcher

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// The environment of a test binary that runs as a dispatcher and kills itself.
const (
	childPoint    = "OUTBOX_TEST_KILL_POINT"
	childDatabase = "OUTBOX_TEST_KILL_DATABASE"
	childConsumer = "OUTBOX_TEST_KILL_CONSUMER"
)

// dieAtPoint runs a dispatcher that kills its own process, as kill -9 does, when it gets to a point
// for the third time, so that some work is behind it and some is under way.
func dieAtPoint() {
	config := killConfig(os.Getenv(childConsumer))
	poolConfig, err := pgxpool.ParseConfig(os.Getenv(childDatabase))
	if err != nil {
		panic(err)
	}
	config.Database.Prepare(poolConfig)
	pool, err := pgxpool.NewWithConfig(context.Background(), poolConfig)
	if err != nil {
		panic(err)
	}
	var passed atomic.Int32
	d, err := New(config, pool, Options{At: func(p Point, _ *Claimed) {
		if string(p) == os.Getenv(childPoint) && passed.Add(1) == 3 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}})
	if err != nil {
		panic(err)
	}
	panic(d.Run(context.Background()))
}

// killConfig has leases that end soon, and small batches, so that every point is reached often.
func killConfig(url string) Config {
	config := serverConfig(url)
	config.Database.CallTimeout = 1900 * time.Millisecond
	config.Lease = Lease{Duration: 2 * time.Second, RenewEvery: 200 * time.Millisecond}
	config.Settle.MaxRows = 5
	return config
}

func TestKilledAtAnyPointNothingIsLost(t *testing.T) {
	t.Parallel()
	for _, point := range Points() {
		t.Run(string(point), func(t *testing.T) {
			t.Parallel()
			db := testdb.NewActive(t)
			admin := db.Conn(t)
			appendEach(t, admin, 10)
			leaveExpiring(t, admin)
			renewing := point == BeforeRenew || point == AfterRenew
			var hold atomic.Bool // calls go on for as long as the dispatcher lives, so that it renews
			hold.Store(renewing)
			url := consumers(t, func(w http.ResponseWriter, r *http.Request) {
				if hold.Load() {
					readAll(t, r.Body)
					<-r.Context().Done()
					return
				}
				accept(w, r)
			})
			killChild(t, point, db.LoginURL(t, "outbox_dispatcher"), url)
			hold.Store(false)
			config := serverConfig(url)
			stop := dispatch(t, config, dispatcherPool(t, db, config), Options{})
			awaitPublished(t, admin)
			stop()
			tap.IsEmpty(t, admin, `select attempt_id from outbox.delivery_attempt_starts as s
				where not exists (select from outbox.delivery_attempt_finishes as f where f.attempt_id = s.attempt_id)`)
			sound(t, admin)
		})
	}
}

// leaveExpiring leaves leases behind whose owner never comes back.
func leaveExpiring(t *testing.T, db tap.Querier) {
	t.Helper()
	for _, destination := range everyDestination {
		tap.Exec(t, db, "select outbox.claim_deliveries($1, 'gone', 3, interval '1 s')", destination)
	}
}

// killChild runs a dispatcher in a process of its own that dies at a point.
func killChild(t *testing.T, point Point, database, consumer string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0])
	child.Env = append(os.Environ(), childPoint+"="+string(point), childDatabase+"="+database, childConsumer+"="+consumer)
	var output bytes.Buffer
	child.Stdout, child.Stderr = &output, &output
	err := child.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("the child was not killed at %s: %v\n%s", point, err, output.String())
	}
	if status := exit.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the child ended otherwise at %s: %v\n%s", point, err, output.String())
	}
}

// lines is a log handler that hands on each line.
type lines func(string)

func (f lines) Write(line []byte) (int, error) {
	f(string(line))
	return len(line), nil
}

func logTo(f func(string)) *slog.Logger { return slog.New(slog.NewTextHandler(lines(f), nil)) }

func TestPointsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[Point]bool{}
	for _, point := range Points() {
		if seen[point] || point == "" {
			t.Errorf("%q is no name of its own", point)
		}
		seen[point] = true
	}
}
