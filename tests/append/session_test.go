package append_test

import (
	"encoding/hex"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// telling is an envelope in which most of what a session setting could change shows.
func telling() string {
	return fixture.Envelope(fixture.ID("00000000-0000-4000-8000-000000000001"), fixture.Aggregate("a\\b", 1), fixture.Full(),
		fixture.With("occurredAt", "2026-03-04T05:06:07.89Z"),
		fixture.Payload(`{"n":[0.1,1e21,35821213014423850,1e0001,5e-324],"t":"\\u0000\u001f\ud83d\ude02","\uffff":1,"\ud83d\ude02":[null,true]}`))
}

// digestOf is the digest that Go computes.
func digestOf(t *testing.T, envelope string) string {
	t.Helper()
	canonical, err := contracts.Canonical([]byte(envelope))
	if err != nil {
		t.Fatal(err)
	}
	digest := contracts.Sum(canonical)
	return hex.EncodeToString(digest[:])
}

const tellingSQL = "select encode(event_envelope_sha256, 'hex') from outbox.append_event($1::pg_catalog.json)"

func TestSessionSettingsDoNotChangeTheDigest(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	want := digestOf(t, telling())
	for _, settings := range []string{
		"extra_float_digits = -15", "standard_conforming_strings = off", "bytea_output = escape", "array_nulls = off", "TimeZone = 'Asia/Kathmandu'",
		"DateStyle = 'German, DMY'", "DateStyle = 'SQL, YMD'", "IntervalStyle = sql_standard", "search_path = ''", "client_encoding = 'LATIN1'",
		"default_transaction_isolation = serializable", "default_transaction_isolation = 'repeatable read'", "default_transaction_deferrable = on",
		"check_function_bodies = off", "transform_null_equals = on", "row_security = off", "xmloption = document", "plan_cache_mode = force_custom_plan",
		"enable_nestloop = off; set enable_hashjoin = off; set enable_sort = off; set enable_indexscan = off",
	} {
		t.Run(settings, func(t *testing.T) {
			db := d.Conn(t)
			tap.Exec(t, db, "set "+settings)
			tx, err := db.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tap.RowEq(t, tx, tap.Row{want}, tellingSQL, telling())
			tap.RowEq(t, tx, tap.Row{int64(1), "2026-03-04T05:06:07.890000Z"}, `
				select (select pg_catalog.count(*) from outbox.deliveries), outbox.rfc3339(occurred_at) from outbox.events`)
			if err := tx.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestShadowingObjectsAreNotAppendedTo(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	tap.Exec(t, d.Conn(t), "create schema evil; grant all on schema evil to public")
	db := d.Login(t, "outbox_producer")
	tap.Exec(t, db, `
		create function evil.length(text) returns int language sql as 'select 0';
		create function evil.octet_length(text) returns int language sql as 'select 0';
		create function evil.jsonb_typeof(jsonb) returns text language sql as $$ select 'null' $$;
		create function evil.sha256(bytea) returns bytea language sql as $$ select 'evil'::bytea $$;
		create function evil.clock_timestamp() returns timestamptz language sql as $$ select 'infinity'::timestamptz $$;
		create function evil.yes(text, text) returns boolean language sql as 'select true';
		create function evil.yes(uuid, uuid) returns boolean language sql as 'select true';
		create operator evil.= (leftarg = text, rightarg = text, function = evil.yes);
		create operator evil.= (leftarg = uuid, rightarg = uuid, function = evil.yes);
		create operator evil.~ (leftarg = text, rightarg = text, function = evil.yes);
		create domain evil.uuid as text; create domain evil.jsonb as int; create domain evil.bytea as int;
		create temporary table events (like pg_class); create temporary table active_delivery_set (x int);
		create temporary table deliveries (x int); create temporary table pg_locks (x int);
		set search_path = evil, pg_temp, pg_catalog`)
	tap.RowEq(t, db, tap.Row{digestOf(t, telling())}, tellingSQL, telling())
	tap.Throws(t, db, "OX001", "text_length_within_bounds", appendSQL, fixture.Envelope(fixture.With("tenantId", "")))
	tap.RowEq(t, d.Conn(t), tap.Row{1, 1}, "select count(*), (select count(*) from outbox.deliveries) from outbox.events")
}

func TestReadOnlyTransactionAppendsNothing(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	tap.Exec(t, db, "set default_transaction_read_only = on")
	tap.Throws(t, db, "25006", "", appendSQL, fixture.Envelope())
}

func TestEventIDIsAVersion7UUID(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Login(t, "outbox_producer")
	tap.RowEq(t, db, tap.Row{10000, 10000, true}, `
		select count(distinct id), count(*) filter (where id::text ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'),
			bool_and(abs(extract(epoch from clock_timestamp()) * 1000 - ('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint) < 60000)
		from (select outbox.new_event_id() as id from generate_series(1, 10000)) as e`)
	first := tap.Value[string](t, db, "select outbox.new_event_id()::text")
	testdb.Await(t, "an id of a later millisecond", func() bool { return first < tap.Value[string](t, db, "select outbox.new_event_id()::text") })
}

func TestRFC3339IsWhatOccurredAtWants(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Login(t, "outbox_producer")
	tap.Exec(t, db, "set TimeZone = 'Asia/Kathmandu'; set DateStyle = 'German'")
	tap.RowEq(t, db, tap.Row{"2026-11-30T06:15:00.000000Z", "2024-02-29T23:59:59.999999Z", "0001-01-01T00:00:00.000000Z", nil}, `
		select outbox.rfc3339('2026-11-30 12:00:00+05:45'), outbox.rfc3339('2024-02-29 23:59:59.999999+00'), outbox.rfc3339('0001-01-01 00:00:00+00'),
			outbox.rfc3339(null)`)
	tap.RowEq(t, db, tap.Row{nil, nil, nil, nil}, `
		select outbox.rfc3339('infinity'), outbox.rfc3339('-infinity'), outbox.rfc3339('0044-03-15 00:00:00+00 BC'), outbox.rfc3339('10000-01-01 00:00:00+00')`)
	now := tap.Value[string](t, db, "select outbox.rfc3339(now())")
	fixture.AppendNew(t, db, fixture.With("occurredAt", now))
}
