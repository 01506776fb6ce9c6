// Package deliverysets holds definitions to their rules, and the cutover from one to the next to being linearizable: an
// event freezes the set that was active at its own place in time, whatever the isolation level.
package deliverysets_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

const (
	registerSQL   = "select outbox.register_delivery_set($1::json, 'test')"
	violationsSQL = "select path, rule from contracts.delivery_set_violations($1::json)"
)

// edit changes a definition.
type edit func(fixture.Object)

// item gives one element of an array of a definition.
func item(definition fixture.Object, array string, i int) fixture.Object {
	return definition[array].([]any)[i].(fixture.Object)
}

// set sets a member of the definition itself.
func set(member string, value any) edit {
	return func(definition fixture.Object) { definition[member] = value }
}

// inItem sets a member of one element.
func inItem(array string, i int, member string, value any) edit {
	return func(definition fixture.Object) { item(definition, array, i)[member] = value }
}

// notInItem takes a member of one element away.
func notInItem(array string, i int, member string) edit {
	return func(definition fixture.Object) { delete(item(definition, array, i), member) }
}

// definition is a valid definition that the edits break, with the digest that it then has.
func definition(edits ...edit) string {
	broken := fixture.Definition("broken")
	for _, change := range edits {
		change(broken)
	}
	return fixture.JSON(fixture.Digested(broken))
}

// invalid asserts that a definition breaks a rule at a path, and that registering it is refused under a rule that it
// breaks and leaves nothing behind.
func invalid(t *testing.T, db tap.Querier, rule, path, definition string) {
	t.Helper()
	found := tap.Column[string](t, db, "select rule from contracts.delivery_set_violations($1::json) where path = $2", definition, path)
	known := false
	for _, other := range found {
		known = known || other == rule
	}
	if !known {
		t.Errorf("%s is not reported at %s; found there: %v; all: %v", rule, path, found,
			tap.Column[string](t, db, "select path || ' ' || rule from contracts.delivery_set_violations($1::json)", definition))
	}
	tap.IsEmpty(t, db, violationsSQL+" where path is null or rule is null or detail is null", definition)
	report := tap.Throws(t, db, "OX010", "", registerSQL, definition)
	if report != nil {
		at := map[bool]string{true: "", false: report.Detail}[report.Detail == "(whole document)"]
		tap.IsntEmpty(t, db, violationsSQL+" where rule = $2 and path = $3", definition, report.ConstraintName, at)
	}
	tap.RowEq(t, db, tap.Row{0, 0, 0, 0}, `
		select (select count(*) from outbox.delivery_set_versions), (select count(*) from outbox.delivery_set_applicable_events),
			(select count(*) from outbox.delivery_set_members), (select count(*) from outbox.operator_actions)`)
}

// twoSets is a database with two registered sets, of which the first is active.
func twoSets(t *testing.T) (d *testdb.DB, first, second fixture.Object) {
	t.Helper()
	d = testdb.New(t)
	governor := d.As(t, "outbox_governor")
	first, second = fixture.Definition("first"), fixture.Definition("second")
	fixture.Register(t, governor, first)
	fixture.Register(t, governor, second)
	fixture.Activate(t, governor, first)
	return d, first, second
}

// activeIs asserts which set is active.
func activeIs(t *testing.T, db tap.Querier, version string) {
	t.Helper()
	tap.ResultsEq(t, db, tap.Rows{{version}}, "select delivery_set_version from outbox.active_delivery_set")
}

// frozenBy asserts which set an event froze.
func frozenBy(t *testing.T, db tap.Querier, event, version string) {
	t.Helper()
	tap.RowEq(t, db, tap.Row{version, version}, `
		select e.delivery_set_version, d.delivery_set_version
		from outbox.events e join outbox.deliveries d using (event_id) where event_id = $1`, event)
}

// begin opens a transaction of an isolation level.
func begin(t *testing.T, db *pgx.Conn, level pgx.TxIsoLevel) pgx.Tx {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// commit ends a transaction well.
func commit(t *testing.T, tx pgx.Tx) {
	t.Helper()
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// inBackground runs a statement that may have to wait, and returns how it ended.
func inBackground(ctx context.Context, db tap.Querier, sql string, args ...any) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := db.Exec(context.WithoutCancel(ctx), sql, args...)
		done <- err
	}()
	return done
}

var levels = []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}
