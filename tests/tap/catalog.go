package tap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// HasSchema asserts that a schema exists.
func HasSchema(t testing.TB, db Querier, schema string) {
	t.Helper()
	has(t, db, true, "schema "+schema, "select 1 from pg_namespace where nspname = $1", schema)
}

// HasTable asserts that an ordinary or partitioned table exists.
func HasTable(t testing.TB, db Querier, schema, table string) {
	t.Helper()
	has(t, db, true, "table "+schema+"."+table, relationSQL, schema, table, []string{"r", "p"})
}

// HasntTable asserts that no such table exists.
func HasntTable(t testing.TB, db Querier, schema, table string) {
	t.Helper()
	has(t, db, false, "table "+schema+"."+table, relationSQL, schema, table, []string{"r", "p"})
}

// HasView asserts that a view exists.
func HasView(t testing.TB, db Querier, schema, view string) {
	t.Helper()
	has(t, db, true, "view "+schema+"."+view, relationSQL, schema, view, []string{"v"})
}

// HasIndex asserts that an index exists and is valid.
func HasIndex(t testing.TB, db Querier, schema, index string) {
	t.Helper()
	has(t, db, true, "valid index "+schema+"."+index, relationSQL+
		" and exists (select from pg_index where indexrelid = c.oid and indisvalid)", schema, index, []string{"i"})
}

// HasColumn asserts that a table or view has a column.
func HasColumn(t testing.TB, db Querier, schema, relation, column string) {
	t.Helper()
	has(t, db, true, "column "+schema+"."+relation+"."+column, "select 1 from ("+columnsSQL+") c where attname = $3", schema, relation, column)
}

// HasConstraint asserts that a table has a constraint of this name: an invariant.
func HasConstraint(t testing.TB, db Querier, schema, table, constraint string) {
	t.Helper()
	has(t, db, true, "constraint "+constraint+" of "+schema+"."+table, `
		select 1 from pg_constraint o join pg_class c on c.oid = o.conrelid join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relname = $2 and o.conname = $3`, schema, table, constraint)
}

// HasRole asserts that a role exists.
func HasRole(t testing.TB, db Querier, role string) {
	t.Helper()
	has(t, db, true, "role "+role, "select 1 from pg_roles where rolname = $1", role)
}

// IsMemberOf asserts that a role has the rights of another.
func IsMemberOf(t testing.TB, db Querier, role, member string) {
	t.Helper()
	has(t, db, true, member+" as a member of "+role, "select 1 where pg_has_role($1::name, $2::name, 'MEMBER')", member, role)
}

// TablesAre asserts the tables of a schema.
func TablesAre(t testing.TB, db Querier, schema string, tables ...string) {
	t.Helper()
	namesAre(t, db, "tables of "+schema, tables, relationsSQL, schema, []string{"r", "p"})
}

// ViewsAre asserts the views of a schema.
func ViewsAre(t testing.TB, db Querier, schema string, views ...string) {
	t.Helper()
	namesAre(t, db, "views of "+schema, views, relationsSQL, schema, []string{"v"})
}

// ColumnsAre asserts the columns of a table or view.
func ColumnsAre(t testing.TB, db Querier, schema, relation string, columns ...string) {
	t.Helper()
	namesAre(t, db, "columns of "+schema+"."+relation, columns, columnsSQL, schema, relation)
}

// ColTypeIs asserts a column's type as PostgreSQL writes it.
func ColTypeIs(t testing.TB, db Querier, schema, relation, column, want string) {
	t.Helper()
	got := Value[string](t, db, `select coalesce((
		select format_type(a.atttypid, a.atttypmod)
		from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relname = $2 and a.attname = $3 and a.attnum > 0 and not a.attisdropped), 'no such column')`,
		schema, relation, column)
	Is(t, got, want, "type of "+schema+"."+relation+"."+column)
}

// TableOwnerIs asserts who owns a table, view or sequence.
func TableOwnerIs(t testing.TB, db Querier, schema, relation, want string) {
	t.Helper()
	got := Value[string](t, db, `select coalesce((
		select pg_get_userbyid(c.relowner) from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relname = $2), 'no such relation')`, schema, relation)
	Is(t, got, want, "owner of "+schema+"."+relation)
}

const (
	relationsSQL = `
		select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relkind::text = any ($2)`
	relationSQL = `
		select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relname = $2 and c.relkind::text = any ($3)`
	columnsSQL = `
		select a.attname::text as attname
		from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'c') and a.attnum > 0 and not a.attisdropped`
)

// has asserts that a query finds something, or that it does not.
func has(t testing.TB, db Querier, want bool, what, sql string, args ...any) {
	t.Helper()
	if found := Value[bool](t, db, "select exists ("+sql+")", args...); found == want {
		return
	}
	if want {
		t.Errorf("there is no %s", what)
		return
	}
	t.Errorf("there is a %s", what)
}

// namesAre asserts a set of names and reports both differences.
func namesAre(t testing.TB, db Querier, what string, want []string, sql string, args ...any) {
	t.Helper()
	have, want := Column[string](t, db, sql, args...), slices.Clone(want)
	slices.Sort(have)
	slices.Sort(want)
	if slices.Equal(have, want) {
		return
	}
	t.Errorf("%s\n  missing: %s\n  extra:   %s", what, list(subtract(want, have)), list(subtract(have, want)))
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d: %s", len(names), strings.Join(names, ", "))
}
