package delivery_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// staleStatistics makes the planner believe that deliveries is a tiny table, and then appends many.
func (w *world) staleStatistics(t *testing.T, events int) {
	t.Helper()
	tap.Exec(t, w.As(t, "outbox_owner"), "alter table outbox.deliveries set (autovacuum_enabled = false)")
	tap.Exec(t, w.As(t, "outbox_owner"), "alter table outbox.events set (autovacuum_enabled = false)")
	fixture.AppendNew(t, w.producer)
	tap.Exec(t, w.As(t, "outbox_owner"), "analyze outbox.deliveries, outbox.events")
	for range events / 1000 {
		fixture.AppendMany(t, w.producer, 1000)
	}
}

func TestClaimTakesNoMoreThanItsLimitUnderAnyPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.staleStatistics(t, 1000)
	for i, settings := range [][]string{
		{"enable_hashjoin", "enable_mergejoin"},
		{"enable_hashjoin", "enable_mergejoin", "enable_indexscan", "enable_indexonlyscan"},
		{"enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan"},
		{"enable_seqscan", "enable_sort"},
		{"enable_nestloop", "enable_material", "enable_memoize"},
	} {
		session := w.another(t)
		for _, setting := range settings {
			tap.Exec(t, session, "set "+setting+" = off")
		}
		tap.Is(t, len(fixture.Claim(t, session, fixture.Operations, 7)), 7, "claimed")
		tap.RowEq(t, w.admin, tap.Row{7 * (i + 1), 7 * (i + 1)}, `
			select count(*) filter (where status = 'leased'), (select count(*) from outbox.delivery_attempt_starts)
			from outbox.deliveries`)
	}
}

// scans are the counters of the session's finished transactions for deliveries.
func scans(t *testing.T, session *pgx.Conn) (sequential, claimable int64) {
	t.Helper()
	tap.Exec(t, session, "select pg_stat_force_next_flush()")
	if err := session.QueryRow(t.Context(), `
		select t.seq_scan, i.idx_scan
		from pg_stat_user_tables as t join pg_stat_user_indexes as i on i.relid = t.relid and i.indexrelname = 'deliveries_claimable'
		where t.schemaname = 'outbox' and t.relname = 'deliveries'`).Scan(&sequential, &claimable); err != nil {
		t.Fatal(err)
	}
	return sequential, claimable
}

func TestClaimReadsTheClaimableIndex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, sql string }{
		{"without a position", "select count(*) from outbox.claim_deliveries('core_operations', 'w', 7, '60 s')"},
		{"with a position", `
			select count(*) from outbox.claim_deliveries('core_operations', 'w', 7, '60 s',
				row('2026-01-01Z', '2026-01-01Z', '00000000-0000-0000-0000-000000000000')::outbox.claim_position)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.staleStatistics(t, 1000)
			sequential, claimable := scans(t, w.dispatcher)
			for range 3 {
				tap.Is(t, tap.Value[int64](t, w.dispatcher, c.sql), 7, "claimed")
			}
			sequentialAfter, claimableAfter := scans(t, w.dispatcher)
			tap.Is(t, sequentialAfter, sequential, "sequential scans of deliveries")
			tap.Is(t, claimableAfter, claimable+3, "scans of deliveries_claimable")
		})
	}
}

func TestSettleRenewAndRecoverNeverScanDeliveries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.staleStatistics(t, 1000)
	claims := fixture.Claim(t, w.dispatcher, fixture.Operations, 4)
	w.expire(t, claims[3])
	sequential, _ := scans(t, w.dispatcher)
	tap.Is(t, renew(t, w.dispatcher, fixture.Fence(claims[0]))[0], "renewed", "renewal")
	w.settle(t, []string{"complete", "retry_scheduled", "quarantined"}, fixture.Acknowledge(claims[0]),
		fixture.Retry(claims[1], "timeout", 0), fixture.Quarantine(claims[2], "event_unprocessable"))
	tap.Is(t, len(recoverExpired(t, w.dispatcher)), 1, "recovered")
	after, _ := scans(t, w.dispatcher)
	tap.Is(t, after, sequential, "sequential scans of deliveries")
}
