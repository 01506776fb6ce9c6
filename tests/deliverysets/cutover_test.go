package deliverysets_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestActivationWaitsForAnAppendInFlight(t *testing.T) {
	t.Parallel()
	for _, level := range levels {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			d, _, second := twoSets(t)
			db := d.Conn(t)
			producing := d.Login(t, "outbox_producer")
			producer := begin(t, producing, level)
			before := fixture.AppendNew(t, producer)
			governor := d.As(t, "outbox_governor")
			done := inBackground(t.Context(), governor, fixture.ActivateSQL, fixture.Quadruple(second, "30 s")...)
			d.AwaitBlocked(t, governor, producing)
			also := fixture.AppendNew(t, producer) // the same transaction freezes the same set
			commit(t, producer)
			lives(t, <-done)
			frozenBy(t, db, before, "first")
			frozenBy(t, db, also, "first")
			frozenBy(t, db, fixture.AppendNew(t, db), "second")
		})
	}
}

func TestAppendWaitsForAnActivationInFlightAndFreezesTheNewSet(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	activating := d.As(t, "outbox_governor")
	activation := begin(t, activating, pgx.ReadCommitted)
	fixture.Activate(t, activation, second)
	producer := d.Login(t, "outbox_producer")
	tx := begin(t, producer, pgx.ReadCommitted)
	tap.Exec(t, tx, "select") // the transaction is older than the cutover
	event := fixture.NewID()
	done := inBackground(t.Context(), tx, "select outbox.append_event($1::json)", fixture.Envelope(fixture.ID(event)))
	d.AwaitBlocked(t, producer, activating)
	commit(t, activation)
	lives(t, <-done)
	commit(t, tx)
	frozenBy(t, d.Conn(t), event, "second")
}

func TestAppendFreezesTheOldSetWhenTheActivationIsRolledBack(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	activating := d.As(t, "outbox_governor")
	activation := begin(t, activating, pgx.ReadCommitted)
	fixture.Activate(t, activation, second)
	producer := d.Login(t, "outbox_producer")
	event := fixture.NewID()
	done := inBackground(t.Context(), producer, "select outbox.append_event($1::json)", fixture.Envelope(fixture.ID(event)))
	d.AwaitBlocked(t, producer, activating)
	if err := activation.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	lives(t, <-done)
	frozenBy(t, d.Conn(t), event, "first")
}

func TestAppendWithASnapshotFromBeforeTheCutoverFailsToSerialize(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			d, _, second := twoSets(t)
			tx := begin(t, d.Login(t, "outbox_producer"), level)
			tap.Exec(t, tx, "select count(*) from pg_class") // takes the snapshot
			fixture.Activate(t, d.As(t, "outbox_governor"), second)
			tap.Throws(t, tx, "40001", "", "select outbox.append_event($1::json)", fixture.Envelope())
			tap.IsEmpty(t, d.Conn(t), "select from outbox.events")
			retried := begin(t, d.Login(t, "outbox_producer"), level)
			event := fixture.AppendNew(t, retried)
			commit(t, retried)
			frozenBy(t, d.Conn(t), event, "second")
		})
	}
}

func TestAppendWithASnapshotFromBeforeTwoCutoversFailsToSerialize(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			d, first, second := twoSets(t)
			tx := begin(t, d.Login(t, "outbox_producer"), level)
			tap.Exec(t, tx, "select count(*) from pg_class")
			governor := d.As(t, "outbox_governor")
			fixture.Activate(t, governor, second)
			fixture.Activate(t, governor, first) // the old value again, by another activation
			tap.Throws(t, tx, "40001", "", "select outbox.append_event($1::json)", fixture.Envelope())
		})
	}
}

func TestAppendWithASnapshotFromBeforeTheFirstActivationIsRefused(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			d := testdb.New(t)
			governor, first := d.As(t, "outbox_governor"), fixture.Definition("first")
			fixture.Register(t, governor, first)
			tx := begin(t, d.Login(t, "outbox_producer"), level)
			tap.Exec(t, tx, "select count(*) from pg_class")
			fixture.Activate(t, governor, first)
			tap.Throws(t, tx, "OX004", "delivery_set_is_active", "select outbox.append_event($1::json)", fixture.Envelope())
		})
	}
}

func TestActivationWithASnapshotFromBeforeAnotherFailsToSerialize(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			d, first, second := twoSets(t)
			stale := begin(t, d.As(t, "outbox_governor"), level)
			tap.Exec(t, stale, "select count(*) from pg_class")
			fixture.Activate(t, d.As(t, "outbox_governor"), second)
			for _, wanted := range []fixture.Object{first, second} {
				tap.Throws(t, stale, "40001", "", fixture.ActivateSQL, fixture.Quadruple(wanted, "1 s")...)
			}
			activeIs(t, d.Conn(t), "second")
		})
	}
}

func TestTwoActivationsFollowEachOther(t *testing.T) {
	t.Parallel()
	d, first, second := twoSets(t)
	one, other := d.As(t, "outbox_governor"), d.As(t, "outbox_governor")
	tx := begin(t, one, pgx.ReadCommitted)
	fixture.Activate(t, tx, second)
	done := inBackground(t.Context(), other, fixture.ActivateSQL, fixture.Quadruple(first, "30 s")...)
	d.AwaitBlocked(t, other, one)
	commit(t, tx)
	lives(t, <-done)
	activeIs(t, d.Conn(t), "first")
	tap.RowEq(t, d.Conn(t), tap.Row{3}, "select count(*) from outbox.delivery_set_activations")
}

func TestCutoverLockKeepsAppendsOutUntilItsTransactionEnds(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	holding := d.As(t, "outbox_governor")
	holder := begin(t, holding, pgx.ReadCommitted)
	tap.Exec(t, holder, "select outbox.lock_cutover()")
	producer := d.Login(t, "outbox_producer")
	event := fixture.NewID()
	done := inBackground(t.Context(), producer, "select outbox.append_event($1::json)", fixture.Envelope(fixture.ID(event)))
	d.AwaitBlocked(t, producer, holding)
	fixture.Activate(t, holder, second) // a projection switch and an activation share one transaction
	commit(t, holder)
	lives(t, <-done)
	frozenBy(t, d.Conn(t), event, "second")
}

// TestProducersGoOnWhileAnActivationWaits keeps one producer in flight, so that the activation waits. A lock request that
// waits has its place in the queue, and other producers would queue up behind it: so it must be taken back in between.
func TestProducersGoOnWhileAnActivationWaits(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	producing, governor, producer, db := d.Login(t, "outbox_producer"), d.As(t, "outbox_governor"), d.Login(t, "outbox_producer"), d.Conn(t)
	slow := begin(t, producing, pgx.ReadCommitted)
	fixture.AppendNew(t, slow)
	done := inBackground(t.Context(), governor, fixture.ActivateSQL, fixture.Quadruple(second, "10 min")...)
	for range 3 {
		d.AwaitBlocked(t, governor, producing)
		testdb.Await(t, "the activation takes its lock request back", func() bool {
			return tap.Value[bool](t, db, "select not exists (select from pg_locks where pid = $1 and not granted)", governor.PgConn().PID())
		})
		fixture.AppendNew(t, producer)
	}
	select {
	case err := <-done:
		t.Fatalf("the activation did not wait: %v", err)
	default:
	}
	commit(t, slow)
	lives(t, <-done)
	activeIs(t, db, "second")
}

// TestEveryEventFreezesTheSetOfItsMoment lets producers of all isolation levels run against activations to and fro. The
// database's clock is read under the cutover lock on both sides, so the set of every event follows from the times.
func TestEveryEventFreezesTheSetOfItsMoment(t *testing.T) {
	t.Parallel()
	d, first, second := twoSets(t)
	pool := d.Pool(t)
	var over atomic.Bool
	var appended atomic.Int64
	group, ctx := errgroup.WithContext(t.Context())
	for i := range 6 {
		group.Go(func() error {
			for !over.Load() {
				err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: levels[i%3]}, func(tx pgx.Tx) error {
					_, err := tx.Exec(ctx, "select outbox.append_events($1::text[]::json[])",
						[]string{fixture.Envelope(), fixture.Envelope(fixture.Type(fixture.ResolutionApplied))})
					return err
				})
				var failed *pgconn.PgError
				if err != nil && (!errors.As(err, &failed) || failed.Code != "40001") {
					return err
				}
				if err == nil {
					appended.Add(1)
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		defer over.Store(true)
		governor, sets := d.As(t, "outbox_governor"), []fixture.Object{second, first}
		for i := 0; i < 12 || appended.Load() < 100; i++ {
			if _, err := governor.Exec(ctx, fixture.ActivateSQL, fixture.Quadruple(sets[i%2], "60 s")...); err != nil {
				return fmt.Errorf("activation %d: %w", i, err)
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	db := d.Conn(t)
	tap.IsEmpty(t, db, `
		select e.event_id, e.delivery_set_version, x.delivery_set_version
		from outbox.events e
		cross join lateral (
			select delivery_set_version from outbox.delivery_set_activations
			where activated_at < e.created_at order by activated_at desc limit 1
		) x
		where x.delivery_set_version <> e.delivery_set_version`)
	tap.RowEq(t, db, tap.Row{true, 2, true}, `
		select (select count(*) from outbox.delivery_set_activations) > 12, count(distinct delivery_set_version), count(*) >= 200 from outbox.events`)
	tap.IsEmpty(t, db, "select * from outbox.verify()")
}
