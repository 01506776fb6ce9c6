package tap

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// routine is what the catalog says about a function. The product has no overloads, so a name is enough.
type routine struct {
	Definer    bool
	Strict     bool
	Volatility string
	Parallel   string
	Owner      string
	Config     []string
	Arguments  string
	Result     string
}

const routineSQL = `
	select
		p.prosecdef as definer, p.proisstrict as strict,
		case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
		case p.proparallel when 's' then 'safe' when 'r' then 'restricted' else 'unsafe' end as parallel,
		pg_get_userbyid(p.proowner)::text as owner, coalesce(p.proconfig, '{}') as config,
		pg_get_function_arguments(p.oid) as arguments, coalesce(pg_get_function_result(p.oid), '') as result
	from pg_proc p join pg_namespace n on n.oid = p.pronamespace
	where n.nspname = $1 and p.proname = $2`

// lookup finds a function; a missing or overloaded one fails the test.
func lookup(t testing.TB, db Querier, schema, function string) (routine, bool) {
	t.Helper()
	rows, err := db.Query(t.Context(), routineSQL, schema, function)
	if err != nil {
		t.Fatal(explain(err))
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[routine])
	if err != nil {
		t.Fatal(explain(err))
	}
	if len(found) != 1 {
		t.Errorf("there are %d functions %s.%s, want one", len(found), schema, function)
		return routine{}, false
	}
	return found[0], true
}

// HasFunction asserts that exactly one function of this name exists.
func HasFunction(t testing.TB, db Querier, schema, function string) {
	t.Helper()
	lookup(t, db, schema, function)
}

// FunctionsAre asserts the functions of a schema, aggregates and procedures included.
func FunctionsAre(t testing.TB, db Querier, schema string, functions ...string) {
	t.Helper()
	namesAre(t, db, "functions of "+schema, functions,
		"select p.proname::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = $1", schema)
}

// FunctionReturns asserts the arguments and the result of a function as PostgreSQL writes them.
func FunctionReturns(t testing.TB, db Querier, schema, function, arguments, result string) {
	t.Helper()
	if found, ok := lookup(t, db, schema, function); ok {
		Is(t, found.Arguments, arguments, "arguments of "+schema+"."+function)
		Is(t, found.Result, result, "result of "+schema+"."+function)
	}
}

// IsDefiner asserts that a function runs with its owner's rights on a pinned search path.
func IsDefiner(t testing.TB, db Querier, schema, function string) {
	t.Helper()
	if found, ok := lookup(t, db, schema, function); ok {
		Ok(t, found.Definer, schema+"."+function+" is security definer")
		SearchPathIs(t, db, schema, function, "pg_catalog, pg_temp")
	}
}

// IsntDefiner asserts that a function runs with its caller's rights.
func IsntDefiner(t testing.TB, db Querier, schema, function string) {
	t.Helper()
	if found, ok := lookup(t, db, schema, function); ok {
		Ok(t, !found.Definer, schema+"."+function+" is security invoker")
	}
}

// SearchPathIs asserts the search path that a function pins.
func SearchPathIs(t testing.TB, db Querier, schema, function, want string) {
	t.Helper()
	found, ok := lookup(t, db, schema, function)
	if !ok {
		return
	}
	got := "none"
	for _, setting := range found.Config {
		if path, ok := strings.CutPrefix(setting, "search_path="); ok {
			got = path
		}
	}
	Is(t, got, want, "search path of "+schema+"."+function)
}

// IsStrict asserts that a function answers NULL to NULL.
func IsStrict(t testing.TB, db Querier, schema, function string) {
	t.Helper()
	if found, ok := lookup(t, db, schema, function); ok {
		Ok(t, found.Strict, schema+"."+function+" is strict")
	}
}

// VolatilityIs asserts immutable, stable or volatile.
func VolatilityIs(t testing.TB, db Querier, schema, function, want string) {
	t.Helper()
	if found, ok := lookup(t, db, schema, function); ok {
		Is(t, found.Volatility, want, "volatility of "+schema+"."+function)
	}
}

// ParallelIs asserts safe, restricted or unsafe.
func ParallelIs(t testing.TB, db Querier, schema, function, want string) {
	t.Helper()
	if found, ok := lookup(t, db, schema, function); ok {
		Is(t, found.Parallel, want, "parallel safety of "+schema+"."+function)
	}
}

// FunctionOwnerIs asserts who owns a function.
func FunctionOwnerIs(t testing.TB, db Querier, schema, function, want string) {
	t.Helper()
	if found, ok := lookup(t, db, schema, function); ok {
		Is(t, found.Owner, want, "owner of "+schema+"."+function)
	}
}
