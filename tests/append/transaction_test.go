package append_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestProducerCommitsAsItself(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	producer := d.Login(t, "outbox_producer")
	tx, err := producer.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fixture.AppendMany(t, tx, 3, fixture.Type(fixture.ResolutionApplied))
	fixture.AppendNew(t, tx)
	if err := tx.Commit(t.Context()); err != nil { // the deferred completeness check runs as this login
		t.Fatal(err)
	}
	tap.RowEq(t, d.Conn(t), tap.Row{4, 7}, "select count(*), (select count(*) from outbox.deliveries) from outbox.events")
}

func TestProducerThatIsAMemberWithoutInheritanceTakesTheRoleOn(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	producer := d.Login(t, "outbox_producer")
	tx, err := producer.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tap.Exec(t, tx, "set local role outbox_producer")
	fixture.AppendNew(t, tx)
	tap.Exec(t, tx, "reset role") // the check at commit runs as whoever commits
	if err := tx.Commit(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCompletenessHoldsWhenConstraintsAreImmediate(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	producer := d.Login(t, "outbox_producer")
	tx, err := producer.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tap.Exec(t, tx, "set constraints all immediate")
	fixture.AppendMany(t, tx, 3, fixture.Type(fixture.ResolutionApplied))
	fixture.AppendNew(t, tx)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	tap.RowEq(t, d.Conn(t), tap.Row{4, 7}, "select count(*), (select count(*) from outbox.deliveries) from outbox.events")
}

func TestCompletenessIsCheckedAtEveryCommitOfTheProducer(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	tap.Exec(t, d.Conn(t), `
		create function public.append_half(p_envelope json) returns void language plpgsql security definer as $$
		begin
			alter table outbox.deliveries disable trigger user;
			perform outbox.append_event(p_envelope);
			delete from outbox.deliveries where destination = 'core_operations';
			alter table outbox.deliveries enable trigger user;
		end $$`)
	producer := d.Login(t, "outbox_producer")
	_, err := producer.Exec(t.Context(), "select public.append_half($1::json)", fixture.Envelope(fixture.Type(fixture.ResolutionApplied)))
	report := tap.Raised(t, err, "OX040", "delivery_set_is_complete")
	if report != nil {
		tap.Ok(t, len(report.Detail) > 0, "the missing destination is named: "+report.Detail)
	}
	nothingAppended(t, d.Conn(t))
}

func TestRollbackLeavesNothing(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	failed := errors.New("the domain changed its mind")
	err := pgx.BeginFunc(t.Context(), d.Login(t, "outbox_producer"), func(tx pgx.Tx) error {
		fixture.AppendMany(t, tx, 3)
		return failed
	})
	tap.Ok(t, errors.Is(err, failed), "the transaction was rolled back")
	nothingAppended(t, db)
}

func TestSavepointTakesItsEventsAlong(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	tx, err := d.Login(t, "outbox_producer").Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kept := fixture.AppendNew(t, tx)
	again := fixture.Envelope(fixture.Type(fixture.ResolutionApplied))
	tap.Exec(t, tx, "savepoint here")
	fixture.Append(t, tx, again)
	tap.Exec(t, tx, "rollback to here")
	later := fixture.Append(t, tx, again) // its id and revision are free again
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	tap.SetEq(t, d.Conn(t), tap.Rows{{kept}, {later}}, "select event_id from outbox.events")
	tap.RowEq(t, d.Conn(t), tap.Row{3}, "select count(*) from outbox.deliveries")
}

func TestRefusalInsideASavepointLeavesTheOthers(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	tx, err := d.Login(t, "outbox_producer").Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kept := fixture.AppendNew(t, tx)
	tap.Throws(t, tx, "OX001", "type_is_right", appendAllSQL, []string{fixture.Envelope(), fixture.Envelope(fixture.With("tenantId", nil))})
	tap.Throws(t, tx, "OX007", "aggregate_revision_is_unique", appendAllSQL,
		[]string{fixture.Envelope(), fixture.Envelope(fixture.Aggregate("a", 1)), fixture.Envelope(fixture.Aggregate("a", 1))})
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	tap.ResultsEq(t, d.Conn(t), tap.Rows{{kept}}, "select event_id from outbox.events")
	tap.RowEq(t, d.Conn(t), tap.Row{1}, "select count(*) from outbox.deliveries")
}

func TestEventIsInvisibleUntilItsTransactionCommits(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	dispatcher := d.As(t, "outbox_dispatcher")
	tx, err := d.Login(t, "outbox_producer").Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fixture.AppendNew(t, tx)
	tap.Is(t, len(fixture.Claim(t, dispatcher, fixture.Operations, 10)), 0, "claims before the commit")
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	tap.Is(t, len(fixture.Claim(t, dispatcher, fixture.Operations, 10)), 1, "claims after the commit")
}

// TestEventOfASlowTransactionIsNotSkipped lets a younger event overtake one whose transaction commits late.
func TestEventOfASlowTransactionIsNotSkipped(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	tap.Exec(t, db, "set lock_timeout = '10s'")
	slow, err := d.Conn(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	late := fixture.AppendNew(t, slow)
	early := fixture.AppendNew(t, db)
	first := fixture.ClaimOne(t, db, fixture.Operations)
	tap.Is(t, first.EventID, early, "the event that is committed")
	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	tap.Is(t, fixture.ClaimOne(t, db, fixture.Operations).EventID, late, "the event that was committed late")
}

// wait runs an append in the background and returns its result.
func wait(ctx context.Context, db *pgx.Conn, sql string, envelopes any) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := db.Exec(context.WithoutCancel(ctx), sql, envelopes)
		done <- err
	}()
	return done
}

func TestConcurrentDuplicateWaitsAndIsRefused(t *testing.T) {
	t.Parallel()
	id := fixture.NewID()
	sent := fixture.Envelope(fixture.ID(id), fixture.Aggregate("a", 1))
	for name, c := range map[string]struct{ sqlstate, invariant, detail, other string }{
		"identical": {"OX006", "event_is_appended_once", "identical", sent},
		"different": {"OX006", "event_is_appended_once", "different_digest", fixture.Envelope(fixture.ID(id))},
		"revision":  {"OX007", "aggregate_revision_is_unique", "/aggregateRevision", fixture.Envelope(fixture.Aggregate("a", 1))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := testdb.NewActive(t)
			first, second := d.Login(t, "outbox_producer"), d.Login(t, "outbox_producer")
			tx, err := first.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			fixture.Append(t, tx, sent)
			done := wait(t.Context(), second, appendSQL, c.other)
			d.AwaitBlocked(t, second, first)
			if err := tx.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			report := tap.Raised(t, <-done, c.sqlstate, c.invariant)
			if report != nil {
				tap.Is(t, report.Detail, c.detail, "detail")
			}
			tap.ResultsEq(t, d.Conn(t), tap.Rows{{id}}, "select event_id from outbox.events")
		})
	}
}

// TestOppositeBatchesDoNotDeadlock stops two calls in their middle, at a revision each that somebody else holds. In the order
// of the calls each would by then hold what the other goes on to. In one order for all, the second waits at once.
func TestOppositeBatchesDoNotDeadlock(t *testing.T) {
	t.Parallel()
	a, b := fixture.Envelope(fixture.Aggregate("a", 1)), fixture.Envelope(fixture.Aggregate("b", 1))
	for name, c := range map[string]struct {
		sqlstate, invariant, b, a string
	}{
		"same events":    {"OX006", "event_is_appended_once", b, a},
		"same revisions": {"OX007", "aggregate_revision_is_unique", fixture.Envelope(fixture.Aggregate("b", 1)), fixture.Envelope(fixture.Aggregate("a", 1))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := testdb.NewActive(t)
			holder, err := d.Login(t, "outbox_producer").Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			fixture.AppendNew(t, holder, fixture.Aggregate("m", 1))
			fixture.AppendNew(t, holder, fixture.Aggregate("n", 1))
			var done [2]<-chan error
			for i, batch := range [][]string{
				{a, fixture.Envelope(fixture.Aggregate("m", 1)), b}, {c.b, fixture.Envelope(fixture.Aggregate("n", 1)), c.a},
			} {
				session := d.Login(t, "outbox_producer")
				done[i] = wait(t.Context(), session, appendAllSQL, batch)
				awaitBlocked(t, d, session)
			}
			if err := holder.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-done[0]; err != nil {
				t.Errorf("the first of the two wins: %v", err)
			}
			tap.Raised(t, <-done[1], c.sqlstate, c.invariant)
			tap.RowEq(t, d.Conn(t), tap.Row{3, 3}, "select count(*), (select count(*) from outbox.deliveries) from outbox.events")
		})
	}
}

// awaitBlocked returns when a session waits for any other.
func awaitBlocked(t *testing.T, d *testdb.DB, session *pgx.Conn) {
	t.Helper()
	observer := d.Conn(t)
	testdb.Await(t, "the session waits", func() bool {
		return tap.Value[bool](t, observer, "select cardinality(pg_blocking_pids($1)) > 0", session.PgConn().PID())
	})
}

func TestConcurrentDuplicateWinsWhenTheFirstIsRolledBack(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	sent := fixture.Envelope(fixture.Type(fixture.ResolutionApplied))
	first, second := d.Login(t, "outbox_producer"), d.Login(t, "outbox_producer")
	tx, err := first.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fixture.Append(t, tx, sent)
	done := wait(t.Context(), second, appendSQL, sent)
	d.AwaitBlocked(t, second, first)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	tap.RowEq(t, d.Conn(t), tap.Row{1, 2}, "select count(*), (select count(*) from outbox.deliveries) from outbox.events")
}

func TestConcurrentDuplicateAboveReadCommittedFailsToSerialize(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			d := testdb.NewActive(t)
			sent := fixture.Envelope()
			tx, err := d.Login(t, "outbox_producer").BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
			if err != nil {
				t.Fatal(err)
			}
			tap.Exec(t, tx, "select") // takes the snapshot
			fixture.Append(t, d.Conn(t), sent)
			tap.Throws(t, tx, "40001", "", appendSQL, sent)
		})
	}
}

func TestConcurrentAppendsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		tx, err := d.Login(t, "outbox_producer").BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		if err != nil {
			t.Fatal(err)
		}
		tap.Exec(t, tx, "set local lock_timeout = '1s'")
		fixture.AppendNew(t, tx)
		defer func() {
			if err := tx.Commit(t.Context()); err != nil {
				t.Error(err)
			}
		}()
	}
}
