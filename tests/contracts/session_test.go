package contracts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// corpus is what every session must canonicalise alike.
func corpus(t *testing.T) []sample {
	t.Helper()
	good, _ := vectors(t)
	samples := slices.Concat(official(t), good)
	for i, n := range numbers(t) {
		if i%20 == 0 {
			samples = append(samples, sample{n.text, `{"n":[` + n.text + `]}`, `{"n":[` + n.text + `]}`})
		}
	}
	return append(samples,
		sample{"odd numbers", `[1e-400,1e0000001,0.1]`, `[0,10,0.1]`},
		sample{"escapes", `{"\u003a":"\\u0000\ud83d\ude02"}`, `{":":"\\u0000😂"}`},
	)
}

func TestSessionSettingsChangeNothing(t *testing.T) {
	t.Parallel()
	samples, d := corpus(t), testdb.New(t)
	for _, settings := range []string{
		"extra_float_digits = -15", "extra_float_digits = 0", "extra_float_digits = 3",
		"standard_conforming_strings = off", "backslash_quote = off", "bytea_output = escape", "array_nulls = off",
		"TimeZone = 'Asia/Kathmandu'", "DateStyle = 'German, DMY'", "IntervalStyle = sql_standard", "search_path = ''",
		"default_transaction_isolation = serializable", "default_transaction_read_only = on", "plan_cache_mode = force_custom_plan",
		"enable_nestloop = off; set enable_hashjoin = off; set enable_sort = off; set jit = off", "quote_all_identifiers = on",
	} {
		t.Run(settings, func(t *testing.T) {
			db := d.Conn(t)
			tap.Exec(t, db, "set "+settings)
			hold(t, db, samples)
			holdGoldens(t, db)
			holdDerived(t, db)
			refused(t, db, "OX001", "no_duplicate_key", "/a", `{"a":1,"\u0061":2}`)
			refused(t, db, "OX001", "no_lone_surrogate", "/0", `["\ud800"]`)
			refused(t, db, "OX002", "number_within_range", "/0", `[1e400]`)
		})
	}
}

// shadows are functions, operators and types that answer wrongly to those who look for them in the search path.
const shadows = `
	create schema evil;
	create function evil.length(text) returns int language sql as 'select 0';
	create function evil.octet_length(text) returns int language sql as 'select 0';
	create function evil.replace(text, text, text) returns text language sql as $$ select 'evil' $$;
	create function evil.split_part(text, text, int) returns text language sql as $$ select 'evil' $$;
	create function evil.substr(text, int) returns text language sql as $$ select 'evil' $$;
	create function evil.left(text, int) returns text language sql as $$ select 'evil' $$;
	create function evil.ascii(text) returns int language sql as 'select 1';
	create function evil.abs(numeric) returns numeric language sql as 'select 0::numeric';
	create function evil.scale(numeric) returns int language sql as 'select 0';
	create function evil.jsonb_typeof(jsonb) returns text language sql as $$ select 'null' $$;
	create function evil.json_typeof(json) returns text language sql as $$ select 'null' $$;
	create function evil.to_json(text) returns json language sql as $$ select '"evil"'::json $$;
	create function evil.jsonb_each(jsonb, out key text, out value jsonb) returns setof record language sql as $$ select 'evil', 'null'::jsonb $$;
	create function evil.wrong(text, text) returns boolean language sql as 'select true';
	create function evil.joined(text, text) returns text language sql as $$ select 'evil' $$;
	create operator evil.= (leftarg = text, rightarg = text, function = evil.wrong);
	create operator evil.<> (leftarg = text, rightarg = text, function = evil.wrong);
	create operator evil.~ (leftarg = text, rightarg = text, function = evil.wrong);
	create operator evil.|| (leftarg = text, rightarg = text, function = evil.joined);
	create domain evil.jsonb as int;
	create domain evil.text as int;
	create domain evil.json as int;
	grant usage on schema evil to public;`

func TestShadowingTheSearchPathChangesNothing(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	tap.Exec(t, d.Conn(t), shadows)
	db := d.As(t, "outbox_producer")
	tap.Exec(t, db, "set search_path = evil, pg_catalog")
	tap.RowEq(t, db, tap.Row{0, "evil"}, "select length('abc'), replace('a', 'b', 'c')") // the trap works
	hold(t, db, corpus(t))
	holdGoldens(t, db)
	holdDerived(t, db)
}

func TestTemporaryObjectsChangeNothing(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	db := d.Conn(t)
	tap.Exec(t, db, strings.ReplaceAll(strings.NewReplacer(
		"create schema evil;", "", "grant usage on schema evil to public;", "").Replace(shadows), "evil.", "pg_temp."))
	tap.Exec(t, db, "set search_path = pg_temp, pg_catalog")
	hold(t, db, corpus(t))
	holdGoldens(t, db)
	holdDerived(t, db)
}

func TestCollationOfTheDatabaseChangesNothing(t *testing.T) {
	t.Parallel()
	db := fixture.Collated(t, "sv-SE")
	tap.RowEq(t, db, tap.Row{true, false}, `select 'a' < 'Z', 'a' < 'Z' collate "C"`) // it does sort otherwise
	hold(t, db, append(corpus(t), sample{"not by language", `{"ä":1,"z":2,"a":3,"Z":4,"_":5}`, `{"Z":4,"_":5,"a":3,"z":2,"ä":1}`}))
	holdGoldens(t, db)
	holdDerived(t, db)
	refused(t, db, "OX001", "no_duplicate_key", "/B", `{"a":1,"a":2,"B":1,"B":2}`)
}
