package append_test

import (
	"fmt"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestBatchIsAppendedInItsOrder(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	var envelopes []string
	var want tap.Rows
	for i := range 20 {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", 20-i) // falling, so that order by id is another order
		envelopes = append(envelopes, fixture.Envelope(fixture.ID(id)))
		want = append(want, tap.Row{i, id})
	}
	tap.ResultsEq(t, db, want, "select item, event_id from outbox.append_events($1::text[]::json[])", envelopes)
	tap.ResultsEq(t, db, want, "select row_number() over (order by created_at) - 1, event_id from outbox.events order by created_at")
	tap.RowEq(t, db, tap.Row{0, 19}, `
		select count(*) filter (where gap is null or gap <= '0') - 1, count(*) filter (where gap > '0')
		from (select created_at - lag(created_at) over (order by created_at) as gap from outbox.events) as g`)
}

func TestPathsOfABatchStartWithTheItem(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for _, c := range []struct{ sqlstate, invariant, detail, broken string }{
		{"OX001", "type_is_right", "/2/tenantId", envelope(fixture.With("tenantId", nil))},
		{"OX001", "type_is_right", "/2", "[]"},
		{"OX001", "member_is_known", "/2/note", envelope(fixture.With("note", secret))},
		{"OX001", "no_duplicate_key", "/2/payload/a", envelope(fixture.Payload(`{"a":1,"a":1}`))},
		{"OX002", "number_is_exact", "/2/payload/x", number("9007199254740993")},
		{"OX002", "number_is_exact", "/2/payload/x", number("1e400")},
	} {
		for _, batch := range [][]string{{envelope(), envelope(), c.broken}, {envelope(), envelope(), c.broken, c.broken}} {
			quotesNothing(t, tap.ThrowsLike(t, db, c.sqlstate, c.invariant, c.detail, appendAllSQL, batch))
		}
	}
	nothingAppended(t, db)
}

func TestNullInABatchIsNoEnvelope(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	tap.ThrowsLike(t, db, "OX001", "type_is_right", "/1", "select outbox.append_events(array[$1::json, null])", envelope())
	nothingAppended(t, db)
}

func TestBatchIsBounded(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	many := make([]string, 1001)
	for i := range many {
		many[i] = fixture.Envelope()
	}
	tap.ThrowsLike(t, db, "OX023", "append_is_bounded", "p_envelopes", appendAllSQL, many)
	tap.ThrowsLike(t, db, "OX023", "append_is_bounded", "p_envelopes", "select outbox.append_events(null)")
	nothingAppended(t, db)
	tap.Is(t, len(fixture.AppendAll(t, db, many[:1000]...)), 1000, "events in one call")
}

func TestEmptyBatchAppendsNothing(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	tap.IsEmpty(t, db, "select * from outbox.append_events('{}')")
	nothingAppended(t, db)
}

func TestArrayMayHaveAnyBoundsAndDimensions(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	const shifted = "select outbox.append_events(($1::text)::json[])"
	literal := func(envelope string) string { return fmt.Sprintf("[5:5]={%q}", envelope) }
	unknown := fixture.Envelope(fixture.Type(fixture.Pair{EventType: "run.deleted@1", SchemaVersion: "1"}))
	tap.ThrowsLike(t, db, "OX005", "event_is_applicable", "/0/eventType, %", shifted, literal(unknown))
	known := fixture.Envelope()
	tap.LivesOK(t, db, shifted, literal(known))
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "identical", shifted, literal(known))
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "mixed",
		"select outbox.append_events(array[array[$1::json], array[$2::json]])", known, fixture.Envelope())
}

func TestCreationTimesRiseOverSeveralCallsOfATransaction(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for range 15 {
		order = append(order, fixture.AppendMany(t, tx, 200)...)
		order = append(order, fixture.AppendNew(t, tx))
		order = append(order, fixture.AppendNew(t, tx))
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	// In one statement, too: the clock moves less than the events of one call take.
	order = append(order, tap.Column[string](t, db, `
		select a.event_id::text
		from unnest($1::text[]::json[], $2::text[]::json[]) with ordinality as e(one, other, place)
		cross join lateral outbox.append_events(array[e.one, e.other]) as a`, manyEnvelopes(200), manyEnvelopes(200))...)
	have := tap.Column[string](t, db, "select event_id::text from outbox.events order by created_at, event_id desc")
	for i := range order {
		if have[i] != order[i] {
			t.Fatalf("event %d of %d is out of order", i, len(order))
		}
	}
	tap.RowEq(t, db, tap.Row{len(order)}, "select count(distinct created_at) from outbox.events")
}

func manyEnvelopes(count int) []string {
	envelopes := make([]string, count)
	for i := range envelopes {
		envelopes[i] = fixture.Envelope()
	}
	return envelopes
}
