package append_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

const appendAllSQL = "select * from outbox.append_events($1::text[]::json[])"

func TestSameEventAgainIsIdentical(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	sent := envelope(fixture.Full())
	fixture.Append(t, db, sent)
	report := tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "identical", appendSQL, sent)
	quotesNothing(t, report)
	// Another spelling has the same canonical form.
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "identical", appendSQL, " "+sent+"\n")
	tap.RowEq(t, db, tap.Row{1, 1}, "select count(*), (select count(*) from outbox.deliveries) from outbox.events")
}

func TestSameEventIDWithAnotherContentIsADifferentDigest(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	id := fixture.AppendNew(t, db, fixture.Aggregate("a", 1))
	for _, other := range []string{
		envelope(fixture.ID(id)),
		envelope(fixture.ID(id), fixture.Aggregate("a", 1)),
		envelope(fixture.ID(id), fixture.Type(fixture.RunClosed)),
	} {
		quotesNothing(t, tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "different_digest", appendSQL, other))
	}
	tap.RowEq(t, db, tap.Row{1}, "select count(*) from outbox.events")
}

func TestBatchThatIsKnownWholeIsIdentical(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	first, second := envelope(), envelope()
	fixture.AppendAll(t, db, first, second)
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "identical", appendAllSQL, []string{first, second})
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "identical", appendAllSQL, []string{second, first})
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "identical", appendAllSQL, []string{second})
}

func TestBatchThatIsKnownInPartIsMixed(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	known := envelope()
	fixture.Append(t, db, known)
	for _, batch := range [][]string{{known, envelope()}, {envelope(), known}, {envelope(), known, envelope()}} {
		tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "mixed", appendAllSQL, batch)
	}
	tap.RowEq(t, db, tap.Row{1}, "select count(*) from outbox.events")
}

func TestDifferentDigestOutweighsIdenticalOnes(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	known, id := envelope(), fixture.NewID()
	fixture.AppendAll(t, db, known, envelope(fixture.ID(id)))
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "different_digest", appendAllSQL,
		[]string{known, envelope(fixture.ID(id), fixture.Payload(`{}`))})
}

func TestEventTwiceInOneBatchIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	id := fixture.NewID()
	one := envelope(fixture.ID(id))
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "mixed", appendAllSQL, []string{one, one})
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "different_digest", appendAllSQL,
		[]string{one, envelope(fixture.ID(id), fixture.Payload(`{}`))})
	nothingAppended(t, db)
}

func TestSecondEventOfAnAggregateRevisionIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	fixture.AppendNew(t, db, fixture.Aggregate(secret, 7))
	report := tap.ThrowsLike(t, db, "OX007", "aggregate_revision_is_unique", "/aggregateRevision", appendSQL, envelope(fixture.Aggregate(secret, 7)))
	quotesNothing(t, report)
	// The same revision of another aggregate, and in an event of another type, is free; revisions need not be contiguous.
	fixture.AppendNew(t, db, fixture.Aggregate("other", 7))
	fixture.AppendNew(t, db, fixture.Aggregate(secret, 7), fixture.Type(fixture.WalletReserved))
	fixture.AppendNew(t, db, fixture.Aggregate(secret, 3))
	fixture.AppendNew(t, db, fixture.Aggregate(secret, 9007199254740991))
	tap.RowEq(t, db, tap.Row{5}, "select count(*) from outbox.events")
}

func TestAggregateRevisionTwiceInOneBatchIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	tap.ThrowsLike(t, db, "OX007", "aggregate_revision_is_unique", "/2/aggregateRevision", appendAllSQL,
		[]string{envelope(), envelope(fixture.Aggregate("a", 1)), envelope(fixture.Aggregate("a", 1))})
	nothingAppended(t, db)
}

func TestAggregateRevisionConflictOutweighsIdenticalOnes(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	known := envelope()
	fixture.AppendAll(t, db, known, envelope(fixture.Aggregate("a", 1)))
	tap.ThrowsLike(t, db, "OX007", "aggregate_revision_is_unique", "/1/aggregateRevision", appendAllSQL,
		[]string{known, envelope(fixture.Aggregate("a", 1))})
}
