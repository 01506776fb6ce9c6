package tap

import "testing"

// HasTrigger asserts that a table has a trigger.
func HasTrigger(t testing.TB, db Querier, schema, table, trigger string) {
	t.Helper()
	has(t, db, true, "trigger "+trigger+" on "+schema+"."+table,
		"select 1 from ("+triggersSQL+") g where tgname = $3", schema, table, trigger)
}

// TriggersAre asserts the triggers of a table, those of foreign keys left out.
func TriggersAre(t testing.TB, db Querier, schema, table string, triggers ...string) {
	t.Helper()
	namesAre(t, db, "triggers of "+schema+"."+table, triggers, "select tgname from ("+triggersSQL+") g", schema, table)
}

// TriggerIs asserts which function a trigger calls.
func TriggerIs(t testing.TB, db Querier, schema, table, trigger, functionSchema, function string) {
	t.Helper()
	got := Value[string](t, db, "select coalesce((select calls from ("+triggersSQL+") g where tgname = $3), 'no such trigger')",
		schema, table, trigger)
	Is(t, got, functionSchema+"."+function, "function of trigger "+trigger+" on "+schema+"."+table)
}

// TriggerEnabledIs asserts when a trigger fires: origin, replica, always or disabled.
func TriggerEnabledIs(t testing.TB, db Querier, schema, table, trigger, want string) {
	t.Helper()
	got := Value[string](t, db, "select coalesce((select enabled from ("+triggersSQL+") g where tgname = $3), 'no such trigger')",
		schema, table, trigger)
	Is(t, got, want, "trigger "+trigger+" on "+schema+"."+table+" is enabled")
}

const triggersSQL = `
	select
		g.tgname::text as tgname, fn.nspname || '.' || f.proname as calls,
		case g.tgenabled when 'O' then 'origin' when 'R' then 'replica' when 'A' then 'always' else 'disabled' end as enabled
	from pg_trigger g
	join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
	join pg_proc f on f.oid = g.tgfoid join pg_namespace fn on fn.oid = f.pronamespace
	where n.nspname = $1 and c.relname = $2 and not g.tgisinternal`
