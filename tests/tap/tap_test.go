package tap_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/tap"
)

func TestThrowsWantsTheWholeReport(t *testing.T) {
	t.Parallel()
	db := newFixture(t)
	report := tap.Throws(t, db, "OX030", "items_stay", "delete from s.items where id = $1", 1)
	tap.Is(t, report.Detail, "item /1", "detail")
	tap.Throws(t, db, "23514", "named_well", "insert into s.items (id, name) values (3, 'bad')")
	tap.Throws(t, db, "42P01", "", "select from s.nothing")
	tap.ThrowsLike(t, db, "OX030", "items_stay", "item /_", "delete from s.items")
	tap.LivesOK(t, db, "insert into s.items (id) values (9)")

	fails(t, func(t testing.TB) { tap.Throws(t, db, "OX030", "", "select 1") }, "was not refused")
	fails(t, func(t testing.TB) { tap.Throws(t, db, "OX031", "items_stay", "delete from s.items") }, "OX030", "detail: item /1")
	fails(t, func(t testing.TB) { tap.Throws(t, db, "OX030", "another", "delete from s.items") }, "items_stay")
	fails(t, func(t testing.TB) { tap.Throws(t, db, "OX030", "careless", "select s.careless()") }, "has no detail", "has no hint")
	fails(t, func(t testing.TB) { tap.ThrowsLike(t, db, "OX030", "items_stay", "item /", "delete from s.items") }, "is not like")
	fails(t, func(t testing.TB) { tap.LivesOK(t, db, "delete from s.items") }, "OX030", "should live")
	fails(t, func(t testing.TB) { tap.Exec(t, db, "nonsense") }, "42601")
}

func TestRefusalLeavesTheTransactionUsable(t *testing.T) {
	t.Parallel()
	conn, ok := newFixture(t).(*pgx.Conn)
	tap.Ok(t, ok, "the fixture is a connection")
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tap.Exec(t, tx, "insert into s.items (id) values (3)")
	tap.Throws(t, tx, "OX030", "items_stay", "delete from s.items")
	tap.RowEq(t, tx, tap.Row{3}, "select count(*) from s.items")
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	tap.RowEq(t, conn, tap.Row{3}, "select count(*) from s.items")
}

func TestRaisedJudgesTheErrorOfACommit(t *testing.T) {
	t.Parallel()
	conn, ok := newFixture(t).(*pgx.Conn)
	tap.Ok(t, ok, "the fixture is a connection")
	tap.Exec(t, conn, "alter table s.items add constraint named_once unique (name) deferrable initially deferred")
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tap.Exec(t, tx, "insert into s.items (id, name) values (3, 'a')")
	err = tx.Commit(t.Context())
	tap.Raised(t, err, "23505", "named_once")
	fails(t, func(t testing.TB) { tap.Raised(t, err, "23505", "items_are_numbered") }, "named_once")
	fails(t, func(t testing.TB) { tap.Raised(t, nil, "23505", "") }, "was not refused")
	fails(t, func(t testing.TB) { tap.Raised(t, pgx.ErrNoRows, "23505", "") }, "otherwise")
}

func TestResults(t *testing.T) {
	t.Parallel()
	db := newFixture(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.UTC)
	tap.ResultsEq(t, db, tap.Rows{
		{1, "a", "1.50", "f0000000-0000-4000-8000-000000000001", []byte{1, 255}, at}, {2, nil, "7.00", nil, nil, nil},
	}, "select id, name, amount::text, tag, hash, at from s.items order by id")
	tap.ResultsEq(t, db, tap.Rows{{7, true}, {1, false}}, "select amount::numeric(10, 0), id = 2 from s.items where id = 2 union all select 1.0, false")
	tap.BagEq(t, db, tap.Rows{{2}, {1}, {1}}, "select * from unnest(array[1, 2, 1]) u")
	tap.SetEq(t, db, tap.Rows{{2}, {1}}, "select * from unnest(array[1, 2, 1]) u")
	tap.RowEq(t, db, tap.Row{"x", `{"a":1}`}, "select $1::text, '{\"a\":1}'::text", "x")
	tap.RowEq(t, db, tap.Row{90 * time.Second, "{}"}, "select interval '90 s', '{}'")
	tap.IsEmpty(t, db, "select 1 where false")
	tap.IsntEmpty(t, db, "select 1")
	tap.Is(t, tap.Value[int64](t, db, "select count(*) from s.items"), 2, "value")
	tap.Is(t, len(tap.Column[string](t, db, "select unnest(array['a', 'b'])")), 2, "column")

	fails(t, func(t testing.TB) { tap.ResultsEq(t, db, tap.Rows{{2}, {1}}, "select id from s.items order by id") }, "in this order")
	fails(t, func(t testing.TB) { tap.ResultsEq(t, db, tap.Rows{{1}}, "select '1'::text") }, "missing: (1)", `extra:   ("1")`)
	fails(t, func(t testing.TB) { tap.BagEq(t, db, tap.Rows{{1}}, "select * from unnest(array[1, 1]) u") }, "extra:   (1)")
	fails(t, func(t testing.TB) { tap.SetEq(t, db, tap.Rows{{1}, {3}}, "select 1") }, "missing: (3)")
	fails(t, func(t testing.TB) { tap.IsEmpty(t, db, "select 1") }, "should be empty")
	fails(t, func(t testing.TB) { tap.IsntEmpty(t, db, "select 1 where false") }, "should not be empty")
	fails(t, func(t testing.TB) { tap.Is(t, 1, 2, "numbers") }, "numbers", "have: 1", "want: 2")
	fails(t, func(t testing.TB) { tap.Isnt(t, 1, 1, "numbers") }, "numbers")
	fails(t, func(t testing.TB) { tap.Ok(t, false, "this") }, "not ok: this")
	fails(t, func(t testing.TB) { tap.Value[int](t, db, "select 1 where false") }, "no rows")
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	db := newFixture(t)
	tap.HasSchema(t, db, "s")
	tap.HasTable(t, db, "s", "items")
	tap.HasntTable(t, db, "s", "names")
	tap.HasView(t, db, "s", "names")
	tap.HasIndex(t, db, "s", "items_by_name")
	tap.HasColumn(t, db, "s", "names", "name")
	tap.HasConstraint(t, db, "s", "items", "named_well")
	tap.TablesAre(t, db, "s", "items")
	tap.ViewsAre(t, db, "s", "names")
	tap.ColumnsAre(t, db, "s", "items", "at", "hash", "tag", "amount", "name", "id")
	tap.ColTypeIs(t, db, "s", "items", "amount", "numeric(10,2)")
	tap.HasRole(t, db, "pg_monitor")
	tap.IsMemberOf(t, db, "pg_read_all_stats", "pg_monitor")

	fails(t, func(t testing.TB) { tap.HasSchema(t, db, "x") }, "there is no schema x")
	fails(t, func(t testing.TB) { tap.HasTable(t, db, "s", "names") }, "there is no table s.names")
	fails(t, func(t testing.TB) { tap.HasntTable(t, db, "s", "items") }, "there is a table s.items")
	fails(t, func(t testing.TB) { tap.HasView(t, db, "s", "items") }, "there is no view")
	fails(t, func(t testing.TB) { tap.HasIndex(t, db, "s", "items") }, "there is no valid index")
	fails(t, func(t testing.TB) { tap.HasColumn(t, db, "s", "items", "x") }, "column s.items.x")
	fails(t, func(t testing.TB) { tap.HasConstraint(t, db, "s", "items", "x") }, "constraint x")
	fails(t, func(t testing.TB) { tap.TablesAre(t, db, "s", "things") }, "missing: 1: things", "extra:   1: items")
	fails(t, func(t testing.TB) { tap.ColumnsAre(t, db, "s", "names") }, "extra:   1: name", "missing: none")
	fails(t, func(t testing.TB) { tap.ColTypeIs(t, db, "s", "items", "x", "text") }, "no such column")
	fails(t, func(t testing.TB) { tap.HasRole(t, db, "x") }, "role x")
	fails(t, func(t testing.TB) { tap.IsMemberOf(t, db, "pg_monitor", "pg_read_all_stats") }, "pg_read_all_stats as a member")
	fails(t, func(t testing.TB) { tap.TableOwnerIs(t, db, "s", "items", "x") }, "owner of s.items")
}

func TestRoutinesAndTriggers(t *testing.T) {
	t.Parallel()
	db := newFixture(t)
	tap.FunctionsAre(t, db, "s", "refuse", "careless", "twice", "many", "many")
	tap.HasFunction(t, db, "s", "twice")
	tap.FunctionReturns(t, db, "s", "twice", "n integer", "integer")
	tap.IsDefiner(t, db, "s", "refuse")
	tap.IsntDefiner(t, db, "s", "twice")
	tap.IsStrict(t, db, "s", "twice")
	tap.VolatilityIs(t, db, "s", "twice", "immutable")
	tap.ParallelIs(t, db, "s", "twice", "safe")
	tap.HasTrigger(t, db, "s", "items", "items_stay")
	tap.TriggersAre(t, db, "s", "items", "items_stay")
	tap.TriggerIs(t, db, "s", "items", "items_stay", "s", "refuse")
	tap.TriggerEnabledIs(t, db, "s", "items", "items_stay", "always")

	fails(t, func(t testing.TB) { tap.HasFunction(t, db, "s", "many") }, "there are 2 functions s.many")
	fails(t, func(t testing.TB) { tap.FunctionsAre(t, db, "s", "many", "many", "x") }, "missing: 1: x", "extra:   3")
	fails(t, func(t testing.TB) { tap.IsDefiner(t, db, "s", "twice") }, "security definer", "have: none")
	fails(t, func(t testing.TB) { tap.IsntDefiner(t, db, "s", "refuse") }, "security invoker")
	fails(t, func(t testing.TB) { tap.IsStrict(t, db, "s", "refuse") }, "strict")
	fails(t, func(t testing.TB) { tap.VolatilityIs(t, db, "s", "twice", "stable") }, "immutable")
	fails(t, func(t testing.TB) { tap.ParallelIs(t, db, "s", "twice", "unsafe") }, "safe")
	fails(t, func(t testing.TB) { tap.FunctionReturns(t, db, "s", "twice", "", "integer") }, "n integer")
	fails(t, func(t testing.TB) { tap.FunctionOwnerIs(t, db, "s", "twice", "x") }, "owner of s.twice")
	fails(t, func(t testing.TB) { tap.HasTrigger(t, db, "s", "items", "x") }, "trigger x")
	fails(t, func(t testing.TB) { tap.TriggersAre(t, db, "s", "items") }, "extra:   1: items_stay")
	fails(t, func(t testing.TB) { tap.TriggerIs(t, db, "s", "items", "items_stay", "s", "x") }, "s.refuse")
	fails(t, func(t testing.TB) { tap.TriggerEnabledIs(t, db, "s", "items", "items_stay", "origin") }, "always")
}

func TestPrivileges(t *testing.T) {
	t.Parallel()
	db := newFixture(t)
	tap.Exec(t, db, `grant select, insert on s.items to pg_monitor; grant usage on schema s to public;
		create sequence s.numbers; grant usage on sequence s.numbers to pg_monitor`)
	tap.FunctionPrivsAre(t, db, "s", "refuse", "public", "EXECUTE")
	tap.FunctionPrivsAre(t, db, "s", "twice", "public")
	tap.TablePrivsAre(t, db, "s", "items", "pg_monitor", "SELECT", "INSERT")
	tap.TablePrivsAre(t, db, "s", "items", "public")
	tap.SequencePrivsAre(t, db, "s", "numbers", "pg_monitor", "USAGE")
	tap.SchemaPrivsAre(t, db, "s", "public", "USAGE")

	fails(t, func(t testing.TB) { tap.FunctionPrivsAre(t, db, "s", "twice", "public", "EXECUTE") }, "missing: 1: EXECUTE")
	fails(t, func(t testing.TB) { tap.TablePrivsAre(t, db, "s", "items", "pg_monitor", "SELECT") }, "extra:   1: INSERT")
	fails(t, func(t testing.TB) { tap.TablePrivsAre(t, db, "s", "absent", "pg_monitor", "SELECT") }, "missing: 1: SELECT")
	fails(t, func(t testing.TB) { tap.SequencePrivsAre(t, db, "s", "numbers", "public", "USAGE") }, "missing: 1: USAGE")
	fails(t, func(t testing.TB) { tap.SchemaPrivsAre(t, db, "s", "public", "CREATE") }, "missing: 1: CREATE")
}
