// Package plpgsql_test has plpgsql_check read every PL/pgSQL function: it plans each statement against the real catalog,
// so that a misspelt column in a branch that no test enters is found all the same.
package plpgsql_test

import (
	"os"
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// checkSQL checks each function, and each trigger function once for every trigger that calls it. Refusals of the product
// are no findings: planning a call of an immutable function with constants runs it. Nor is 2F005, a missing RETURN: it is
// raised for every function that returns after an endless loop with an EXIT.
const checkSQL = `
	with called as (
		select p.oid, g.tgrelid, g.tgoldtable, g.tgnewtable
		from pg_proc p
		join pg_namespace n on n.oid = p.pronamespace
		join pg_language l on l.oid = p.prolang
		left join pg_trigger g on g.tgfoid = p.oid and not g.tgisinternal
		where l.lanname = 'plpgsql' and n.nspname in ('contracts', 'outbox', 'inbox')
		and (p.prorettype <> 'trigger'::regtype or g.oid is not null)
	)
	select distinct concat_ws(' ', c.oid::regprocedure, 'line', f.lineno, f.level, f.sqlstate, f.message, f.detail, f.hint)
	from called c
	cross join lateral plpgsql_check_function_tb(
		c.oid::regprocedure, coalesce(c.tgrelid, 0)::regclass, fatal_errors => false,
		extra_warnings => true, security_warnings => true, oldtable => c.tgoldtable, newtable => c.tgnewtable
	) f
	where f.sqlstate not like 'OX%' and f.sqlstate <> '2F005'
	order by 1`

func TestFunctionsHaveNoFindings(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	conn := d.Conn(t)
	if !d.IsSuperuser(t) || tap.Value[bool](t, conn, "select not exists (select from pg_available_extensions where name = 'plpgsql_check')") {
		t.Skip("needs the extension plpgsql_check (on Debian: postgresql-15-plpgsql-check) and a superuser")
	}
	tap.Exec(t, conn, "create extension plpgsql_check")
	tap.IsEmpty(t, conn, checkSQL)
}

func TestTriggerFunctionsAreCalled(t *testing.T) {
	t.Parallel()
	tap.IsEmpty(t, testdb.New(t).Conn(t), `
		select p.oid::regprocedure::text
		from pg_proc p join pg_namespace n on n.oid = p.pronamespace
		where n.nspname in ('contracts', 'outbox', 'inbox') and p.prorettype = 'trigger'::regtype
		and not exists (select from pg_trigger g where g.tgfoid = p.oid)`)
}
