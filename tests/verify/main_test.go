// Package verify holds outbox.verify to its word: silent on a healthy database however busy, and not silent on any damage.
// The damage is done by a superuser with the triggers off, as only such a hand or a broken disk can.
package verify_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
	"github.com/oceanway/outbox/tests/verify/busy"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// violation is what verify must report: the invariant, and the event and destination where it has them.
type violation struct{ invariant, event, destination string }

// damage is something that no function can do, and what it breaks.
type damage struct {
	name string
	sql  string
	want []violation
}

// victim is a busy database in a transaction in which no trigger and no foreign key is left to stop anybody.
type victim struct {
	*busy.DB
	tx pgx.Tx
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	d := busy.New(t)
	if !d.IsSuperuser(t) {
		t.Skip("only a superuser can turn foreign keys off")
	}
	v := &victim{DB: d, tx: begin(t, d.Conn(t))}
	tap.Exec(t, v.tx, `
		do $$
		declare
			v_table regclass;
		begin
			for v_table in select oid from pg_class
				where relkind = 'r' and relnamespace in ('outbox'::regnamespace, 'inbox'::regnamespace, 'contracts'::regnamespace)
			loop
				execute format('alter table %s disable trigger all', v_table);
			end loop;
		end
		$$;
		alter table outbox.events drop constraint envelope_digest_matches;
		alter table outbox.deliveries drop constraint ack_matches_frozen_member`)
	return v
}

const foundSQL = `
	select invariant, event_id::text, destination from outbox.verify(p_canonical => true) where invariant <> 'triggers_are_enabled'`

// finds does each damage, asserts what verify says, and undoes it.
func (v *victim) finds(t *testing.T, all ...damage) {
	t.Helper()
	tap.IsEmpty(t, v.tx, foundSQL)
	for _, d := range all {
		t.Run(d.name, func(t *testing.T) {
			savepoint := begin(t, v.tx)
			if tap.Exec(t, savepoint, d.sql) == 0 {
				t.Error("the damage touched no row")
			}
			tap.SetEq(t, savepoint, rows(d.want), foundSQL)
			if err := savepoint.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func rows(all []violation) tap.Rows {
	result := make(tap.Rows, len(all))
	for i, v := range all {
		result[i] = tap.Row{v.invariant, orNull(v.event), orNull(v.destination)}
	}
	return result
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// beginner is a connection or, for a savepoint, a transaction.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

func begin(t *testing.T, db beginner) pgx.Tx {
	t.Helper()
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // no effect when it has ended
	return tx
}

// where addresses a row by its event.
func where(event string) string { return " where event_id = '" + event + "'" }
