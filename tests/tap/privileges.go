package tap

import (
	"strings"
	"testing"
)

// FunctionPrivsAre asserts the rights of a role (or "public") on a function: EXECUTE or nothing.
func FunctionPrivsAre(t testing.TB, db Querier, schema, function, role string, privileges ...string) {
	t.Helper()
	if _, ok := lookup(t, db, schema, function); !ok {
		return
	}
	privilegesAre(t, db, role+" on function "+schema+"."+function, privileges, []string{"EXECUTE"}, `
		select bool_or(has_function_privilege($2::name, p.oid, $1)) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
		where n.nspname = $3 and p.proname = $4`, role, schema, function)
}

// TablePrivsAre asserts the rights of a role (or "public") on a whole table or view.
func TablePrivsAre(t testing.TB, db Querier, schema, table, role string, privileges ...string) {
	t.Helper()
	all := []string{"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"}
	privilegesAre(t, db, role+" on table "+schema+"."+table, privileges, all, `
		select has_table_privilege($2::name, c.oid, $1) from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $3 and c.relname = $4`, role, schema, table)
}

// SequencePrivsAre asserts the rights of a role (or "public") on a sequence.
func SequencePrivsAre(t testing.TB, db Querier, schema, sequence, role string, privileges ...string) {
	t.Helper()
	privilegesAre(t, db, role+" on sequence "+schema+"."+sequence, privileges, []string{"SELECT", "UPDATE", "USAGE"}, `
		select has_sequence_privilege($2::name, c.oid, $1) from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $3 and c.relname = $4 and c.relkind = 'S'`, role, schema, sequence)
}

// SchemaPrivsAre asserts the rights of a role (or "public") on a schema.
func SchemaPrivsAre(t testing.TB, db Querier, schema, role string, privileges ...string) {
	t.Helper()
	privilegesAre(t, db, role+" on schema "+schema, privileges, []string{"CREATE", "USAGE"},
		"select has_schema_privilege($2::name, n.oid, $1) from pg_namespace n where n.nspname = $3", role, schema)
}

// privilegesAre asks about each right in turn ($1 the right, $2 the role, then the object). Rights that a role has through
// another one count: that is what it can do.
func privilegesAre(t testing.TB, db Querier, what string, want, all []string, sql, role string, object ...any) {
	t.Helper()
	var have []string
	for _, privilege := range all {
		args := append([]any{privilege, role}, object...)
		if Value[bool](t, db, "select coalesce(("+sql+"), false)", args...) {
			have = append(have, privilege)
		}
	}
	wanted := make([]string, len(want))
	for i, privilege := range want {
		wanted[i] = strings.ToUpper(privilege)
	}
	missing, extra := subtract(wanted, have), subtract(have, wanted)
	if len(missing)+len(extra) > 0 {
		t.Errorf("rights of %s\n  missing: %s\n  extra:   %s", what, list(missing), list(extra))
	}
}
