package verify_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
	"github.com/oceanway/outbox/tests/verify/busy"
)

func TestNothingIsFoundInANewDatabase(t *testing.T) {
	t.Parallel()
	tap.IsEmpty(t, testdb.New(t).As(t, "outbox_reader"), "select * from outbox.verify(p_canonical => true)")
}

func TestNothingIsFoundInABusyDatabase(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	tap.BagEq(t, d.Conn(t), tap.Rows{
		{"acknowledged", 4}, {"leased", 2}, {"pending", 3}, {"quarantined", 2},
	}, "select status, count(*) from outbox.deliveries group by status")
	for _, role := range []string{"outbox_reader", "outbox_payload_reader"} {
		tap.IsEmpty(t, d.Login(t, role), "select * from outbox.verify()")
		tap.IsEmpty(t, d.Login(t, role), "select * from outbox.verify(p_canonical => true)")
	}
}

func TestOnlyReadersVerify(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	for _, role := range []string{"outbox_producer", "outbox_dispatcher", "outbox_consumer", "outbox_operator"} {
		tap.Throws(t, d.As(t, role), "42501", "", "select outbox.verify()")
	}
}

// One call sees one moment: work that is done while it runs is never half seen. A lock makes it stop in the middle.
func TestNothingIsFoundWhileWorkGoesOn(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	worker, reader, holder := d.Conn(t), d.As(t, "outbox_reader"), begin(t, d.Conn(t))
	fixture.AppendMany(t, worker, 3)
	fixture.AppendMany(t, worker, 3, fixture.Type(fixture.ResolutionApplied))
	tap.Exec(t, holder, "lock table outbox.delivery_set_activations in access exclusive mode") // verify reads it, work does not
	done := make(chan error, 1)
	ctx := t.Context()
	var found []string
	go func() {
		rows, err := reader.Query(ctx, "select v::text from outbox.verify(p_canonical => true) as v")
		if err == nil {
			found, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		done <- err
	}()
	d.AwaitBlocked(t, reader, holder.Conn())
	fixture.AppendNew(t, worker)
	claims := append(fixture.Claim(t, worker, fixture.Operations, 7), fixture.Claim(t, worker, fixture.Coordinator, 2)...)
	items := []string{fixture.Quarantine(claims[0], "event_unprocessable"), fixture.Retry(claims[1], "timeout", 0)}
	for _, claim := range claims[3:] {
		items = append(items, fixture.Acknowledge(claim))
	}
	fixture.Settle(t, worker, items...)
	if err := holder.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	tap.Is(t, strings.Join(found, "\n"), "", "violations")
	tap.RowEq(t, worker, tap.Row{3}, "select count(*) from outbox.event_publications")
	tap.IsEmpty(t, reader, "select * from outbox.verify(p_canonical => true)")
}

// The violations of a slice are those of the events that were appended in it. Definitions belong to the slice that begins
// with the first event.
func TestSlicesFindTheirOwnEvents(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	tap.Exec(t, v.tx, "update outbox.events set tenant_id = 'damaged'"+where(v.Published)+" or event_id = '"+v.Leased+"'")
	const slice = `
		select v.event_id from outbox.events as e, outbox.verify(e.created_at + $2::text::interval, e.created_at + $3::text::interval) as v
		where e.event_id = $1::text::uuid and v.invariant <> 'triggers_are_enabled'`
	for _, event := range []string{v.Published, v.Leased} {
		tap.ResultsEq(t, v.tx, tap.Rows{{event}}, slice, event, "0", "1 us")
		tap.IsEmpty(t, v.tx, slice, event, "1 us", "2 us")
		tap.IsEmpty(t, v.tx, slice, event, "-1 us", "0")
		tap.IsEmpty(t, v.tx, slice, event, "0", "0")
	}
	const whole = "select event_id from outbox.verify($1::text::timestamptz, $2::text::timestamptz) where event_id is not null"
	tap.BagEq(t, v.tx, tap.Rows{{v.Published}, {v.Leased}}, whole, nil, nil)
	tap.BagEq(t, v.tx, tap.Rows{{v.Published}, {v.Leased}}, whole, "-infinity", "infinity")
	tap.IsEmpty(t, v.tx, whole, "2100-01-01Z", nil)
	tap.IsEmpty(t, v.tx, whole, nil, "2001-01-01Z")

	tap.Exec(t, v.tx, "delete from outbox.delivery_set_members where delivery_set_version = $1", busy.ThirdVersion)
	tap.RowEq(t, v.tx, tap.Row{"definition_matches_rows"},
		"select invariant from outbox.verify(null, '2001-01-01Z') where invariant <> 'triggers_are_enabled'")
	tap.IsEmpty(t, v.tx, "select from outbox.verify('2100-01-01Z', null)")
}

func TestCanonicalFormIsWrittenAgainOnlyOnDemand(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	tap.Exec(t, v.tx, `
		update outbox.events set event_envelope = replace(event_envelope, '"payload":{', '"payload":{ '),
			event_envelope_sha256 = sha256(convert_to(replace(event_envelope, '"payload":{', '"payload":{ '), 'UTF8'))`+where(v.Pending))
	tap.IsEmpty(t, v.tx, "select from outbox.verify() where invariant = 'envelope_is_canonical'")
	tap.RowEq(t, v.tx, tap.Row{v.Pending}, "select event_id from outbox.verify(p_canonical => true) where invariant = 'envelope_is_canonical'")
}

// Findings are read by people who may not read payloads.
func TestFindingsQuoteNoPayload(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	tap.Exec(t, v.tx, "update outbox.events set event_envelope = 'SECRET not JSON', tenant_id = 'SECRET'")
	tap.Exec(t, v.tx, "update outbox.delivery_set_versions set definition = 'SECRET not JSON'")
	tap.IsntEmpty(t, v.tx, "select from outbox.verify(p_canonical => true)")
	tap.IsEmpty(t, v.tx, "select v from outbox.verify(p_canonical => true) as v where v::text like '%SECRET%'")
}

func TestEventIsFoundAmongMany(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	fixture.AppendMany(t, v.tx, 1000)
	tap.Exec(t, v.tx, "delete from outbox.deliveries"+where(v.Pending))
	tap.SetEq(t, v.tx, rows([]violation{{"delivery_set_is_complete", v.Pending, fixture.Operations}}), foundSQL)
}
