package delivery_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// settleUntilDone settles one item in a transaction of an isolation level, again after each serialization failure.
func settleUntilDone(ctx context.Context, conn *pgx.Conn, level pgx.TxIsoLevel, item string) (result string, err error) {
	for {
		err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: level}, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, settleSQL, fixture.Array(item)).Scan(&result)
		})
		if !serializationFailure(err) {
			return result, err
		}
	}
}

// sameInstant acknowledges the two deliveries of each event in two sessions that a barrier lets go together.
func sameInstant(t *testing.T, w *world, rounds int, level pgx.TxIsoLevel) {
	t.Helper()
	sessions := [2]*pgx.Conn{w.another(t), w.another(t)}
	operations, coordinator := w.claimedPairs(t, rounds)
	for i := range rounds {
		items := [2]string{fixture.Acknowledge(operations[i]), fixture.Acknowledge(coordinator[i])}
		var results [2]string
		var both errgroup.Group
		barrier := make(chan struct{})
		for side := range sessions {
			both.Go(func() (err error) {
				<-barrier
				results[side], err = settleUntilDone(t.Context(), sessions[side], level, items[side])
				return err
			})
		}
		close(barrier)
		if err := both.Wait(); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		if results != [2]string{"complete", "not_complete"} && results != [2]string{"not_complete", "complete"} {
			t.Fatalf("round %d: results %v", i, results)
		}
	}
	tap.RowEq(t, w.admin, tap.Row{rounds, rounds}, "select count(*), count(distinct event_id) from outbox.event_publications")
	w.assertHealthy(t)
}

func TestAcknowledgementsOfTheSameInstantPublishOnce(t *testing.T) {
	t.Parallel()
	sameInstant(t, newWorld(t), 1000, pgx.ReadCommitted)
}

func TestAcknowledgementsOfTheSameInstantPublishOnceAboveReadCommitted(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			sameInstant(t, newWorld(t), 100, level)
		})
	}
}

// The second acknowledgement is made to wait for the first, and must then see it.
func TestSecondAcknowledgementWaitsForTheFirstAndPublishes(t *testing.T) {
	t.Parallel()
	for _, first := range []string{fixture.Operations, fixture.Coordinator} {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			operations, coordinator := w.claimedPairs(t, 1)
			one, two := operations[0], coordinator[0]
			if first == fixture.Coordinator {
				one, two = two, one
			}
			tx := begin(t, w.another(t), "")
			tap.Is(t, fixture.Settle(t, tx, fixture.Acknowledge(one))[0].Result, "not_complete", "the first")
			second := start(t, w.dispatcher, settleSQL, fixture.Array(fixture.Acknowledge(two)))
			w.AwaitBlocked(t, w.dispatcher, tx.Conn())
			commit(t, tx)
			second.answer(t, "complete")
			tap.RowEq(t, w.admin, tap.Row{1}, "select count(*) from outbox.event_publications")
			w.assertHealthy(t)
		})
	}
}

func TestSecondAcknowledgementPublishesNothingWhenTheFirstIsRolledBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 1)
	tx := begin(t, w.another(t), "")
	tap.Is(t, fixture.Settle(t, tx, fixture.Acknowledge(operations[0]))[0].Result, "not_complete", "the first")
	second := start(t, w.dispatcher, settleSQL, fixture.Array(fixture.Acknowledge(coordinator[0])))
	w.AwaitBlocked(t, w.dispatcher, tx.Conn())
	rollback(t, tx)
	second.answer(t, "not_complete")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(operations[0]))
	w.assertHealthy(t)
}

// With a snapshot from before the first acknowledgement, the second fails and works when tried again: it never leaves the
// event unpublished.
func TestOldSnapshotNeverLeavesAnEventUnpublished(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			operations, coordinator := w.claimedPairs(t, 1)
			old := begin(t, w.another(t), level)
			tap.Exec(t, old, "select 1") // takes the snapshot
			w.settle(t, []string{"not_complete"}, fixture.Acknowledge(operations[0]))
			_, err := texts(t.Context(), old, settleSQL, fixture.Array(fixture.Acknowledge(coordinator[0])))
			tap.Raised(t, err, "40001", "")
			rollback(t, old)
			w.settle(t, []string{"complete"}, fixture.Acknowledge(coordinator[0]))
			w.assertHealthy(t)
		})
	}
}

// behindAHolder runs two statements while a third session holds a row that both want, lets it go when both wait, and returns
// their answers. What each has locked by then does not depend on luck.
func behindAHolder(t *testing.T, w *world, held fixture.Claimed, sqls, arguments [2]string) [2][]string {
	t.Helper()
	sessions := [2]*pgx.Conn{w.another(t), w.another(t)}
	holder := begin(t, w.admin, "")
	tap.Exec(t, holder, "select from outbox.deliveries where event_id = $1::text::uuid for update", held.EventID)
	var calls [2]*call
	for side := range sessions {
		calls[side] = start(t, sessions[side], sqls[side], arguments[side])
		testdb.Await(t, "the statement waits", func() bool {
			return tap.Value[bool](t, holder, "select cardinality(pg_blocking_pids($1::int)) > 0", sessions[side].PgConn().PID())
		})
	}
	rollback(t, holder)
	var answers [2][]string
	for side, c := range calls {
		<-c.done
		if c.err != nil {
			t.Fatalf("side %d: %v", side, c.err)
		}
		answers[side] = c.texts
	}
	return answers
}

// Batches that share events, given in opposite orders, take their locks in one order.
func TestOverlappingBatchesInOppositeOrdersDoNotDeadlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const rounds, size = 10, 10
	operations, coordinator := w.claimedPairs(t, rounds*size)
	for round := range rounds {
		var batches [2][]string
		for i := range size {
			batches[0] = append(batches[0], fixture.Acknowledge(operations[round*size+i]))
			batches[1] = append(batches[1], fixture.Acknowledge(coordinator[round*size+size-1-i]))
		}
		answers := behindAHolder(t, w, operations[round*size+size/2], [2]string{settleSQL, settleSQL},
			[2]string{fixture.Array(batches[0]...), fixture.Array(batches[1]...)})
		complete := 0
		for _, result := range slices.Concat(answers[0], answers[1]) {
			if result == "complete" {
				complete++
			}
		}
		tap.Is(t, complete, size, fmt.Sprintf("completed events of round %d", round))
	}
	tap.RowEq(t, w.admin, tap.Row{rounds * size}, "select count(*) from outbox.event_publications")
	w.assertHealthy(t)
}

// The functions that wait for rows wait in one order, whatever the order of their items.
func TestFunctionsThatWaitForRowsDoNotDeadlock(t *testing.T) {
	t.Parallel()
	retry := func(c fixture.Claimed) string { return fixture.Retry(c, "timeout", 0) }
	for name, c := range map[string]struct {
		sqls  [2]string
		items [2]func(fixture.Claimed) string
	}{
		"settle beside settle": {[2]string{settleSQL, settleSQL}, [2]func(fixture.Claimed) string{fixture.Acknowledge, retry}},
		"settle beside renew":  {[2]string{settleSQL, renewSQL}, [2]func(fixture.Claimed) string{retry, fixture.Fence}},
		"renew beside settle":  {[2]string{renewSQL, settleSQL}, [2]func(fixture.Claimed) string{fixture.Fence, retry}},
		"renew beside renew":   {[2]string{renewSQL, renewSQL}, [2]func(fixture.Claimed) string{fixture.Fence, fixture.Fence}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			operations, coordinator := w.claimedPairs(t, 10)
			claims := slices.Concat(operations, coordinator)
			var items [2][]string
			for i, claim := range claims {
				items[0] = append(items[0], c.items[0](claim))
				items[1] = append(items[1], c.items[1](claims[len(claims)-1-i]))
			}
			behindAHolder(t, w, operations[5], c.sqls, [2]string{fixture.Array(items[0]...), fixture.Array(items[1]...)})
			w.assertHealthy(t)
		})
	}
}

// Both settle the same two events, each given the other way round. The holder of one row shows that the locks are taken in
// the order of the events, whatever the order of the items.
func TestSettleLocksInTheOrderOfEventsNotOfItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Operations, 2) // event ids rise
	holder := begin(t, w.admin, "")
	tap.Exec(t, holder, "select from outbox.deliveries where event_id = $1::text::uuid for update", claims[0].EventID)
	settle := start(t, w.dispatcher, settleSQL, fixture.Array(fixture.Acknowledge(claims[1]), fixture.Acknowledge(claims[0])))
	w.AwaitBlocked(t, w.dispatcher, holder.Conn())
	tap.RowEq(t, holder, tap.Row{1}, `
		select count(*)
		from (select from outbox.deliveries where event_id = $1::text::uuid for update skip locked) as free`, claims[1].EventID)
	commit(t, holder)
	settle.answer(t, "complete", "complete")
}

// Every two of the dispatcher's functions at the same time, on the same rows, half of whose leases have expired: nothing
// fails, and nothing is wrong afterwards.
func TestEachPairOfFunctionsWorksTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const size, rounds = 12, 5
	w.claimedPairs(t, size)
	sessions := [2]*pgx.Conn{w.Conn(t), w.Conn(t)} // the jobs read tables, which a dispatcher cannot
	const claim = "select outbox.claim_deliveries(d.destination, 'w', 8, '60 s')::text from outbox.destinations as d"
	jobs := map[string]string{
		"claim":   claim,
		"recover": "select outbox.recover_expired_leases(10)::text",
		"renew":   "select outbox.renew_leases((select coalesce(json_agg(x), '[]') from (" + fencesSQL + " order by random()) as x), '60 s')::text",
		"settle": `select outbox.settle_attempts((select coalesce(json_agg(x), '[]') from (
			select f.*, 'retryable' as outcome, 'timeout' as "errorCode", 0 as "delayMs" from (` + fencesSQL + `) as f order by random()) as x))::text`,
	}
	for one := range jobs {
		for two := range jobs {
			for range rounds {
				tap.Exec(t, w.admin, "select from ("+claim+") as c")
				w.rewrite(t, "update outbox.deliveries set lease_expires_at = now() where lease_expires_at is not null and destination = 'core_operations'")
				var both errgroup.Group
				for side, job := range []string{one, two} {
					both.Go(func() error {
						_, err := texts(t.Context(), sessions[side], "select n from (select count(*)::text as n from ("+jobs[job]+") as j) as c")
						return err
					})
				}
				if err := both.Wait(); err != nil {
					t.Fatalf("%s beside %s: %v", one, two, err)
				}
			}
		}
	}
	w.assertHealthy(t)
}

// fencesSQL lists the fences of all live leases as items.
const fencesSQL = `
	select event_id as "eventId", destination, current_attempt_id as "attemptId", lease_token as "leaseToken"
	from outbox.deliveries where status = 'leased' and lease_expires_at is not null`
