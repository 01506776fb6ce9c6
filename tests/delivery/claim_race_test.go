package delivery_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

func TestTwoClaimersGetDisjointDeliveriesWithoutWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const n = 20
	ids := fixture.AppendMany(t, w.producer, 2*n)
	one, two := begin(t, w.dispatcher, ""), begin(t, w.another(t), "")
	tap.Exec(t, two, "set local lock_timeout = '100 ms'")
	first := eventsOf(fixture.Claim(t, one, fixture.Operations, n))
	second := eventsOf(fixture.Claim(t, two, fixture.Operations, n))
	commit(t, two)
	commit(t, one)
	tap.Ok(t, slices.Equal(first, ids[:n]), "the first claimer gets the first half")
	tap.Ok(t, slices.Equal(second, ids[n:]), "the second gets the other half while the first one's claim is open")
}

func TestManyClaimersShareTheWorkWithoutOverlap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := fixture.AppendMany(t, w.producer, 200)
	shares := make([][]string, 4)
	var claimers errgroup.Group
	for i := range shares {
		session := w.another(t)
		claimers.Go(func() error {
			for range 10 {
				claimed, err := texts(t.Context(), session, claimSQL, fixture.Operations, 5)
				if err != nil {
					return err
				}
				shares[i] = append(shares[i], claimed...)
			}
			return nil
		})
	}
	if err := claimers.Wait(); err != nil {
		t.Fatal(err)
	}
	taken := slices.Concat(slices.Concat(shares...), eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 1000)))
	slices.Sort(taken)
	slices.Sort(ids)
	tap.Ok(t, slices.Equal(taken, ids), "each delivery was claimed once")
}

func TestClaimNeverWaitsForARowThatIsHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := fixture.AppendMany(t, w.producer, 3)
	holder := begin(t, w.admin, "")
	tap.Exec(t, holder, "select from outbox.deliveries where event_id = $1::text::uuid for update", ids[0])
	tap.Exec(t, w.dispatcher, "set lock_timeout = '100 ms'")
	tap.Ok(t, slices.Equal(eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 2)), ids[1:]), "the rows that are free")
}

func TestClaimWorksUnderEachDefaultIsolation(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			fixture.AppendMany(t, w.producer, 10)
			session := w.another(t)
			tap.Exec(t, session, "set default_transaction_isolation = '"+string(level)+"'")
			for range 2 {
				for _, claim := range fixture.Claim(t, session, fixture.Operations, 5) {
					tap.Is(t, fixture.Settle(t, session, fixture.Acknowledge(claim))[0].Result, "complete", "settled")
				}
			}
			tap.RowEq(t, w.admin, tap.Row{10}, "select count(*) from outbox.event_publications")
			w.assertHealthy(t)
		})
	}
}

// serializationFailure tells whether PostgreSQL asked for another try.
func serializationFailure(err error) bool {
	var report *pgconn.PgError
	return errors.As(err, &report) && report.Code == "40001"
}

// A claim whose snapshot is older than another claim may fail, but it must not take what the other one has.
func TestClaimWithAnOldSnapshotIsRightOrRefused(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			fixture.AppendMany(t, w.producer, 4)
			old := begin(t, w.another(t), level)
			tap.Exec(t, old, "select 1") // takes the snapshot
			taken := eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 2))
			mine, err := texts(t.Context(), old, claimSQL, fixture.Operations, 4)
			if err == nil {
				err = old.Commit(t.Context())
			}
			if err != nil {
				tap.Ok(t, serializationFailure(err), "40001 and nothing else: "+err.Error())
				rollback(t, old)
				mine, err = texts(t.Context(), w.dispatcher, claimSQL, fixture.Operations, 4)
				tap.Ok(t, err == nil, "the next try works")
			}
			for _, id := range mine {
				tap.Ok(t, !slices.Contains(taken, id), "claimed by both: "+id)
			}
			tap.RowEq(t, w.admin, tap.Row{4, 4}, "select count(*), max(n) from (select count(*) over () as n from outbox.delivery_attempt_starts) as s")
			w.assertHealthy(t)
		})
	}
}

func TestClaimIsDurableWhateverTheSessionAsksFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for asked, want := range map[string]string{
		"off": "on", "local": "on", "remote_write": "on", "on": "on", "remote_apply": "remote_apply",
	} {
		claim := w.claimed(t, fixture.Metering)
		for _, sql := range []string{
			"select outbox.claim_deliveries('core_operations', 'w', 1, '60 s')",
			"select outbox.settle_attempts('" + strings.ReplaceAll(fixture.Array(fixture.Acknowledge(claim)), "'", "''") + "')",
			"select outbox.recover_expired_leases(1)",
		} {
			fixture.AppendNew(t, w.producer)
			tx := begin(t, w.dispatcher, "")
			tap.Exec(t, tx, "set local synchronous_commit = "+asked)
			tap.Exec(t, tx, sql)
			tap.RowEq(t, tx, tap.Row{want}, "select current_setting('synchronous_commit')")
			commit(t, tx)
		}
	}
	tap.RowEq(t, w.dispatcher, tap.Row{"on"}, "select current_setting('synchronous_commit')")
}
