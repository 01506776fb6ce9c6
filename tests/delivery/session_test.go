package delivery_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// world is a database with the first release active, and a session for each part in the play.
type world struct {
	*testdb.DB
	admin      *pgx.Conn
	producer   *pgx.Conn
	dispatcher *pgx.Conn
}

func newWorld(t *testing.T) *world {
	t.Helper()
	d := testdb.NewActive(t)
	return &world{DB: d, admin: d.Conn(t), producer: d.As(t, "outbox_producer"), dispatcher: d.As(t, "outbox_dispatcher")}
}

// another opens a further session of a dispatcher.
func (w *world) another(t *testing.T) *pgx.Conn {
	t.Helper()
	return w.As(t, "outbox_dispatcher")
}

// claimed appends an event with one delivery to a destination and leases it.
func (w *world) claimed(t *testing.T, destination string) fixture.Claimed {
	t.Helper()
	fixture.AppendNew(t, w.producer, fixture.Type(fixture.PairFor(destination)))
	return fixture.ClaimOne(t, w.dispatcher, destination)
}

// claimedBatch appends events with one delivery to a destination each and leases them.
func (w *world) claimedBatch(t *testing.T, destination string, count int) []fixture.Claimed {
	t.Helper()
	fixture.AppendMany(t, w.producer, count, fixture.Type(fixture.PairFor(destination)))
	claims := fixture.Claim(t, w.dispatcher, destination, count)
	tap.Is(t, len(claims), count, "claimed deliveries")
	return claims
}

// claimedPairs appends events with two deliveries each and leases both: operations[i] and coordinator[i] are of one event.
func (w *world) claimedPairs(t *testing.T, count int) (operations, coordinator []fixture.Claimed) {
	t.Helper()
	fixture.AppendMany(t, w.producer, count, fixture.Type(fixture.ResolutionApplied))
	operations = fixture.Claim(t, w.dispatcher, fixture.Operations, count)
	coordinator = fixture.Claim(t, w.dispatcher, fixture.Coordinator, count)
	if len(operations) != count || len(coordinator) != count {
		t.Fatalf("claimed %d and %d deliveries, want %d of each", len(operations), len(coordinator), count)
	}
	for i := range operations {
		tap.Is(t, operations[i].EventID, coordinator[i].EventID, "event of a pair")
	}
	return operations, coordinator
}

// settle settles as the dispatcher and asserts the results.
func (w *world) settle(t *testing.T, want []string, items ...string) []fixture.Settled {
	t.Helper()
	answers := fixture.Settle(t, w.dispatcher, items...)
	tap.Is(t, fmt.Sprint(fixture.Results(answers)), fmt.Sprint(want), "results")
	return answers
}

// expire moves the deadline of leases into the past, which takes a hand that the rules do not bind.
func (w *world) expire(t *testing.T, claims ...fixture.Claimed) {
	t.Helper()
	attempts := make([]string, len(claims))
	for i, claim := range claims {
		attempts[i] = claim.AttemptID
	}
	touched := w.rewrite(t, `
		update outbox.deliveries set lease_expires_at = clock_timestamp() - interval '1 second'
		where current_attempt_id = any ($1::text[]::uuid[])`, attempts)
	tap.Is(t, touched, int64(len(claims)), "expired leases")
}

// rewrite runs a statement that the state machine would refuse, and leaves the state machine as it was.
func (w *world) rewrite(t *testing.T, sql string, arguments ...any) int64 {
	t.Helper()
	tx := begin(t, w.As(t, "outbox_owner"), "")
	enable := tap.Value[string](t, tx, `
		select case tgenabled when 'A' then 'enable always' else 'enable' end
		from pg_trigger where tgrelid = 'outbox.deliveries'::regclass and tgname = 'delivery_moves_legally'`)
	tap.Exec(t, tx, "alter table outbox.deliveries disable trigger delivery_moves_legally")
	touched := tap.Exec(t, tx, sql, arguments...)
	tap.Exec(t, tx, "alter table outbox.deliveries "+enable+" trigger delivery_moves_legally")
	commit(t, tx)
	return touched
}

// recovered expires leases and recovers them.
func (w *world) recovered(t *testing.T, claims ...fixture.Claimed) {
	t.Helper()
	w.expire(t, claims...)
	tap.Is(t, len(recoverExpired(t, w.dispatcher)), len(claims), "recovered leases")
}

// reclaim recovers a lease and claims its delivery again.
func (w *world) reclaim(t *testing.T, claim fixture.Claimed) fixture.Claimed {
	t.Helper()
	w.recovered(t, claim)
	next := fixture.ClaimOne(t, w.dispatcher, claim.Destination)
	tap.Is(t, next.EventID, claim.EventID, "event of the next claim")
	return next
}

// recoverExpired recovers what has expired and returns the attempts.
func recoverExpired(t *testing.T, db tap.Querier) []string {
	t.Helper()
	return tap.Column[string](t, db, "select attempt_id::text from outbox.recover_expired_leases(1000)")
}

// statusOf is the status of a delivery.
func (w *world) statusOf(t *testing.T, claim fixture.Claimed) string {
	t.Helper()
	return tap.Value[string](t, w.admin, "select status from outbox.deliveries where event_id = $1::text::uuid and destination = $2",
		claim.EventID, claim.Destination)
}

// assertHealthy asserts that nothing the test did broke an invariant.
func (w *world) assertHealthy(t *testing.T) {
	t.Helper()
	tap.IsEmpty(t, w.admin, "select * from outbox.verify()")
}

// begin starts a transaction of an isolation level; empty is the session's own.
func begin(t *testing.T, conn *pgx.Conn, level pgx.TxIsoLevel) pgx.Tx {
	t.Helper()
	tx, err := conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // no effect when it has ended
	return tx
}

func commit(t *testing.T, tx pgx.Tx) {
	t.Helper()
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func rollback(t *testing.T, tx pgx.Tx) {
	t.Helper()
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}
