package verify_test

import (
	"testing"

	"golang.org/x/sync/errgroup"

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

// One call sees one moment: work that goes on meanwhile is never half seen.
func TestNothingIsFoundWhileWorkGoesOn(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	worker, reader := d.Conn(t), d.As(t, "outbox_reader")
	for range 20 {
		var work errgroup.Group
		work.Go(func() error {
			_, err := worker.Exec(t.Context(), `
				do $$
				declare
					v_items json;
				begin
					for i in 1..10 loop
						perform outbox.append_event(json_build_object(
							'envelopeSchemaVersion', '1', 'eventId', e.id, 'eventType', 'run.created@2.0', 'eventSchemaVersion', '2.0',
							'aggregateId', e.id, 'aggregateRevision', 1, 'tenantKind', 'organization', 'tenantId', 't', 'workspaceId', 'w',
							'correlationId', 'c', 'operationId', 'o', 'occurredAt', '2026-11-30T12:00:00Z', 'payload', '{}'::json))
						from (select outbox.new_event_id() as id) as e;
						commit;
						select json_agg(json_build_object('eventId', c.event_id, 'destination', c.destination, 'attemptId', c.attempt_id,
							'leaseToken', c.lease_token, 'outcome', 'non_retryable', 'errorCode', 'event_unprocessable', 'reason', 'test'))
						into v_items from outbox.claim_deliveries('core_operations', 'w', 1, '60 s') as c;
						commit;
						perform outbox.settle_attempts(v_items);
						commit;
					end loop;
				end
				$$`)
			return err
		})
		tap.IsEmpty(t, reader, "select * from outbox.verify()")
		if err := work.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	tap.RowEq(t, d.Conn(t), tap.Row{200}, "select count(*) from outbox.quarantine")
}

// The violations of a slice are those of the events that were appended in it; definitions belong to every slice.
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
		"select invariant from outbox.verify('2100-01-01Z', null) where invariant <> 'triggers_are_enabled'")
}

// A slice reads the deliveries and attempts of its events by their keys.
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
