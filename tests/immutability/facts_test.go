package immutability_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/verify/busy"
)

func TestEveryTableIsGuarded(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	have := tables(t, d.Conn(t))
	want := slices.Sorted(maps.Keys(guards))
	tap.Is(t, strings.Join(have, "\n"), strings.Join(want, "\n"), "tables")
}

func TestNoColumnOfAFactChanges(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	all := columns(t, d.Conn(t))
	for who, session := range mighty(t, d) {
		for _, c := range all {
			if slices.Contains(movable[c.table], c.name) {
				continue
			}
			invariant := guards[c.table]
			if c.table == "outbox.deliveries" {
				invariant = "delivery_freezes_member"
			}
			t.Run(who+" "+c.table+"."+c.name, func(t *testing.T) {
				tap.ThrowsLike(t, session, "OX030", invariant, c.table, "update "+c.table+" set "+c.name+" = "+c.change)
			})
		}
	}
	tap.IsEmpty(t, d.Conn(t), "select * from outbox.verify(p_canonical => true)")
}

// The members that a delivery froze stay frozen in every state, not only where the state machine refuses anyway.
func TestNoFrozenColumnChangesInAnyState(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	all := columns(t, d.Conn(t))
	owner := d.As(t, "outbox_owner")
	for state, event := range map[string]string{
		"pending": d.Pending, "leased": d.Leased, "recovered": d.Recovered, "acknowledged": d.Published, "quarantined": d.Quarantined,
	} {
		for _, c := range all {
			if c.table != "outbox.deliveries" || slices.Contains(movable[c.table], c.name) {
				continue
			}
			t.Run(state+" "+c.name, func(t *testing.T) {
				tap.Throws(t, owner, "OX030", "delivery_freezes_member",
					"update outbox.deliveries set "+c.name+" = "+c.change+" where event_id = $1::text::uuid", event)
			})
		}
	}
}

func TestUpdateToTheSameValueIsRefusedToo(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	for who, session := range mighty(t, d) {
		for _, c := range columns(t, session) {
			if _, changes := movable[c.table]; changes || c.change == "default" {
				continue
			}
			t.Run(who+" "+c.table+"."+c.name, func(t *testing.T) {
				tap.Throws(t, session, "OX030", guards[c.table], "update "+c.table+" set "+c.name+" = "+c.name)
			})
		}
	}
}

func TestNoRowGoes(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	for who, session := range mighty(t, d) {
		for _, table := range tables(t, session) {
			t.Run(who+" "+table, func(t *testing.T) {
				tap.ThrowsLike(t, session, "OX030", guards[table], table, "delete from "+table)
				tap.Throws(t, session, "OX030", guards[table], "delete from "+table+" where ctid = (select ctid from "+table+" limit 1)")
			})
		}
	}
}

func TestNoTableIsTruncated(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	for who, session := range mighty(t, d) {
		for _, table := range tables(t, session) {
			t.Run(who+" "+table, func(t *testing.T) {
				tap.ThrowsLike(t, session, "OX030", guards[table], table, "truncate "+table+" cascade")
			})
		}
		tap.Throws(t, session, "OX030", "", "truncate "+strings.Join(tables(t, session), ", "))
	}
}

// The other ways to write: upsert, merge, and views that PostgreSQL lets one write through.
func TestNoOtherStatementChangesAFact(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	for who, session := range mighty(t, d) {
		for name, c := range map[string]struct{ invariant, sql string }{
			"upsert of a publication": {"publications_are_immutable", `
				insert into outbox.event_publications select event_id, now() from outbox.event_publications
				on conflict (event_id) do update set published_at = now()`},
			"upsert of an error code": {"error_codes_are_immutable", `
				insert into outbox.error_codes values ('timeout', 'x') on conflict (error_code) do update set description = 'x'`},
			"merge that updates": {"events_are_immutable", `
				merge into outbox.events as e using (select 1) as x on true when matched then update set tenant_id = 'x'`},
			"merge that deletes": {"receipts_are_immutable", `
				merge into inbox.receipts as r using (select 1) as x on true when matched then delete`},
			"update through a view": {"events_are_immutable", "update outbox.event_envelopes set event_envelope = '{}'"},
			"delete through a view": {"events_are_immutable", "delete from outbox.event_envelopes"},
			"update of the rows that a query locks": {"events_are_immutable", `
				with e as (select event_id from outbox.events for update) update outbox.events set trace_id = 'x' where event_id in (select event_id from e)`},
		} {
			t.Run(who+" "+name, func(t *testing.T) {
				tap.Throws(t, session, "OX030", c.invariant, c.sql)
			})
		}
	}
}

// A view that PostgreSQL lets one write through is guarded by its table's triggers. There are two; another needs a look.
func TestViewsThatCanBeWrittenThroughAreKnown(t *testing.T) {
	t.Parallel()
	tap.SetEq(t, busy.New(t).As(t, "outbox_owner"), tap.Rows{{"event_envelopes"}, {"stuck_leases"}}, `
		select table_name
		from information_schema.views
		where table_schema in ('contracts', 'outbox', 'inbox') and (is_updatable = 'YES' or is_insertable_into = 'YES')`)
}

func TestThePointerMovesOnlyWithAnActivation(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	sessions := mighty(t, d)
	delete(sessions, "superuser as replica") // a replica copies the pointer and the activations in any order
	for who, session := range sessions {
		t.Run(who, func(t *testing.T) {
			tap.Throws(t, session, "OX031", "pointer_names_latest_activation",
				"update outbox.active_delivery_set set activation_id = (select min(activation_id) from outbox.delivery_set_activations)")
			tap.Throws(t, session, "OX031", "pointer_names_latest_activation", `
				update outbox.active_delivery_set
				set delivery_set_version = (select delivery_set_version from outbox.delivery_set_activations order by activation_id limit 1)`)
			tap.Throws(t, session, "23514", "one_delivery_set_is_active", "update outbox.active_delivery_set set singleton = false")
		})
	}
}

func TestAnActivationWithoutThePointerDoesNotCommit(t *testing.T) {
	t.Parallel()
	d := busy.New(t)
	tap.Throws(t, d.As(t, "outbox_owner"), "OX031", "activation_moves_pointer", `
		insert into outbox.delivery_set_activations (delivery_set_version, activated_at, activated_by, reason)
		select delivery_set_version, now(), 'x', 'by hand' from outbox.active_delivery_set`)
}

func TestSettingsStayOneRow(t *testing.T) {
	t.Parallel()
	owner := busy.New(t).As(t, "outbox_owner")
	tap.Throws(t, owner, "23505", "settings_pkey", "insert into outbox.settings (singleton) values (true)")
	tap.Throws(t, owner, "23514", "settings_is_one_row", "insert into outbox.settings (singleton) values (false)")
	tap.Throws(t, owner, "23514", "settings_is_one_row", "update outbox.settings set singleton = false")
}
