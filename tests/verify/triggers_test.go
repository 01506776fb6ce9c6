package verify_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// trigger is a trigger of ours, and when it fires.
type trigger struct{ Table, Name, Enabled string }

func triggers(t *testing.T, db tap.Querier) []trigger {
	t.Helper()
	rows, err := db.Query(t.Context(), `
		select g.tgrelid::regclass::text, g.tgname::text, g.tgenabled::text
		from pg_trigger as g join pg_class as c on c.oid = g.tgrelid
		where not g.tgisinternal and c.relnamespace in ('contracts'::regnamespace, 'outbox'::regnamespace, 'inbox'::regnamespace)
		order by 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[trigger])
	if err != nil {
		t.Fatal(err)
	}
	tap.Ok(t, len(all) > 40, "there are many triggers")
	return all
}

const triggersSQL = "select relation, detail from outbox.verify() where invariant = 'triggers_are_enabled'"

// assertFound runs DDL that nothing can refuse, asserts that verify finds its trace, and undoes it.
func assertFound(t *testing.T, tx pgx.Tx, ddl string) {
	t.Helper()
	savepoint := begin(t, tx)
	tap.Exec(t, savepoint, ddl)
	tap.IsntEmpty(t, savepoint, triggersSQL)
	if err := savepoint.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestDisabledTriggerIsFound(t *testing.T) {
	t.Parallel()
	owner := begin(t, testdb.NewActive(t).As(t, "outbox_owner"))
	tap.IsEmpty(t, owner, triggersSQL)
	for _, g := range triggers(t, owner) {
		t.Run(g.Table+" "+g.Name, func(t *testing.T) {
			assertFound(t, owner, "alter table "+g.Table+" disable trigger "+g.Name)
			assertFound(t, owner, "alter table "+g.Table+" enable replica trigger "+g.Name)
			assertFound(t, owner, "drop trigger "+g.Name+" on "+g.Table)
		})
	}
}

// A restore with --disable-triggers leaves triggers that a replica does not fire.
func TestTriggerThatLostItsAlwaysIsFound(t *testing.T) {
	t.Parallel()
	owner := begin(t, testdb.NewActive(t).As(t, "outbox_owner"))
	for _, g := range triggers(t, owner) {
		if g.Enabled == "A" {
			t.Run(g.Table+" "+g.Name, func(t *testing.T) {
				assertFound(t, owner, "alter table "+g.Table+" enable trigger "+g.Name)
			})
		}
	}
}
