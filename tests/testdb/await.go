package testdb

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Bounds of waiting for another session or process to get somewhere.
const (
	awaitTimeout = 20 * time.Second
	awaitPoll    = 5 * time.Millisecond
)

// AwaitBlocked returns when one session waits for another, which is how a race test knows that both are in place.
func (d *DB) AwaitBlocked(t testing.TB, waiting, holder *pgx.Conn) {
	t.Helper()
	observer := d.Conn(t)
	blocked, holding := waiting.PgConn().PID(), holder.PgConn().PID()
	Await(t, "one session waits for the other", func() bool {
		t.Helper()
		var found bool
		sql := "select $2::int = any (pg_blocking_pids($1::int))"
		if err := observer.QueryRow(t.Context(), sql, blocked, holding).Scan(&found); err != nil {
			t.Fatal(err)
		}
		return found
	})
}

// Await polls a condition that somebody else brings about, and fails the test when it does not come true in time.
func Await(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(awaitTimeout)
	defer deadline.Stop()
	tick := time.NewTicker(awaitPoll)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline.C:
			t.Fatalf("not within %s: %s", awaitTimeout, what)
		case <-t.Context().Done():
			t.Fatalf("the test ended before: %s", what)
		case <-tick.C:
		}
	}
}
