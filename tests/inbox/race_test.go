package inbox_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// attempt is a record_receipt on its way in another session.
type attempt struct {
	done            chan struct{}
	result, receipt string
	err             error
}

func start(t *testing.T, db tap.Querier, receiptType, text string) *attempt {
	t.Helper()
	a := &attempt{done: make(chan struct{})}
	ctx := t.Context()
	go func() {
		defer close(a.done)
		a.err = db.QueryRow(ctx, rawSQL, receiptType, text).Scan(&a.result, &a.receipt)
	}()
	return a
}

// race is two consumers that see one event at the same time; the first has recorded and not committed.
type race struct {
	d      *testdb.DB
	given  fixture.Object
	first  pgx.Tx
	gave   recorded
	second *pgx.Conn
}

func newRace(t *testing.T) *race {
	t.Helper()
	d := testdb.New(t)
	r := &race{d: d, given: candidate(fixture.Operations, fixture.NewID(), nil), second: d.Login(t, "outbox_consumer")}
	r.first = begin(t, d.Login(t, "outbox_consumer"), "")
	r.gave = record(t, r.first, fixture.Operations, r.given)
	tap.Is(t, r.gave.Result, "inserted", "first result")
	return r
}

func TestSecondConsumerWaitsAndGetsTheFirstReceipt(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	second := start(t, r.second, receiptTypes[fixture.Operations], asJSON(t, r.given))
	r.d.AwaitBlocked(t, r.second, r.first.Conn())
	end(t, r.first.Commit(t.Context()))
	<-second.done
	end(t, second.err)
	tap.Is(t, second.result, "identical", "result")
	tap.Is(t, second.receipt, r.gave.Receipt, "receipt")
	tap.RowEq(t, r.d.Conn(t), tap.Row{1}, "select count(*) from inbox.receipts")
}

func TestSecondConsumerInsertsWhenTheFirstIsRolledBack(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	second := start(t, r.second, receiptTypes[fixture.Operations], asJSON(t, r.given))
	r.d.AwaitBlocked(t, r.second, r.first.Conn())
	end(t, r.first.Rollback(t.Context()))
	<-second.done
	end(t, second.err)
	tap.Is(t, second.result, "inserted", "result")
	tap.RowEq(t, r.d.Conn(t), tap.Row{second.receipt}, "select receipt from inbox.receipts")
}

func TestSecondConsumerWithAnotherDigestWaitsAndIsRefused(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	r.given["eventEnvelopeSha256"] = "11" + someDigest[2:]
	second := start(t, r.second, receiptTypes[fixture.Operations], asJSON(t, r.given))
	r.d.AwaitBlocked(t, r.second, r.first.Conn())
	end(t, r.first.Commit(t.Context()))
	<-second.done
	tap.Raised(t, second.err, "OX003", "receipt_event_digest_matches")
}

func TestConsumersOfOtherEventsDoNotWait(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	tap.Exec(t, r.second, "set lock_timeout = '100 ms'")
	tap.Is(t, record(t, r.second, fixture.Operations, candidate(fixture.Operations, fixture.NewID(), nil)).Result, "inserted", "result")
}

// With an old snapshot the second consumer fails and tries again: it never inserts a second receipt.
func TestSecondConsumerWithAnOldSnapshotTriesAgain(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			r := newRace(t)
			old := begin(t, r.second, level)
			tap.Exec(t, old, "select 1") // takes the snapshot
			second := start(t, old, receiptTypes[fixture.Operations], asJSON(t, r.given))
			r.d.AwaitBlocked(t, r.second, r.first.Conn())
			end(t, r.first.Commit(t.Context()))
			<-second.done
			tap.Raised(t, second.err, "40001", "")
			end(t, old.Rollback(context.WithoutCancel(t.Context())))
			again := record(t, r.second, fixture.Operations, r.given)
			tap.Is(t, again.Result, "identical", "result")
			tap.Is(t, again.Receipt, r.gave.Receipt, "receipt")
		})
	}
}
