// Package immutability tries to change facts. What it tries is generated from the catalog: every column of every table is
// updated, every table deleted from and truncated, as every role, as the owner, as a superuser and as a replica. A new
// column or table is covered by itself; one that may change has to be named here.
package immutability_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
	"github.com/oceanway/outbox/tests/verify/busy"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// guards are the tables and the invariant that keeps each: nothing else may be missing here.
var guards = map[string]string{
	"contracts.event_types":                 "event_types_are_immutable",
	"contracts.namespaces":                  "namespaces_are_immutable",
	"contracts.schemas":                     "schemas_are_immutable",
	"inbox.receipts":                        "receipts_are_immutable",
	"outbox.active_delivery_set":            "active_set_is_kept",
	"outbox.deliveries":                     "deliveries_are_kept",
	"outbox.delivery_attempt_finishes":      "attempt_finishes_are_immutable",
	"outbox.delivery_attempt_starts":        "attempt_starts_are_immutable",
	"outbox.delivery_set_activations":       "activations_are_immutable",
	"outbox.delivery_set_applicable_events": "applicable_events_are_immutable",
	"outbox.delivery_set_members":           "delivery_set_members_are_immutable",
	"outbox.delivery_set_versions":          "delivery_set_versions_are_immutable",
	"outbox.destinations":                   "destinations_are_immutable",
	"outbox.error_codes":                    "error_codes_are_immutable",
	"outbox.event_publications":             "publications_are_immutable",
	"outbox.events":                         "events_are_immutable",
	"outbox.operator_actions":               "operator_actions_are_immutable",
	"outbox.quarantine":                     "quarantine_is_immutable",
	"outbox.quarantine_notes":               "quarantine_notes_are_immutable",
	"outbox.settings":                       "settings_are_kept",
}

// movable are the columns that change in the life of the product. Those of deliveries move along the state machine and
// the active pointer with an activation, which other tests hold; settings are changed by the governor's function.
var movable = map[string][]string{
	"outbox.active_delivery_set": {"singleton", "delivery_set_version", "activation_id"},
	"contracts.schemas":          {"resolved", "quick_check", "digest_rule"}, // compiled from the document, or generated
	"outbox.settings": {
		"singleton", "max_envelope_bytes", "max_nesting", "max_append_events", "max_settle_outcomes", "max_attempts",
	},
	"outbox.deliveries": {
		"status", "available_at", "lease_owner", "lease_token", "lease_expires_at", "current_attempt_id", "attempt_count",
		"last_attempt_at", "delivered_at", "last_error_code", "last_error_ref", "ack_consumer_name", "ack_receipt_type",
		"ack_receipt_ref", "ack_receipt_schema_version", "ack_receipt_digest_algorithm_version", "ack_receipt_digest",
		"ack_event_envelope_digest_algorithm_version", "ack_event_envelope_sha256",
	},
}

// column is a column of a table, with an expression that changes its value.
type column struct{ table, name, change string }

// columnsSQL lists the columns of all tables. The change is another value of the type; a generated column takes only
// its default.
const columnsSQL = `
	select format('%s.%s', n.nspname, c.relname), a.attname::text,
		case
			when a.attidentity = 'a' or a.attgenerated = 's' then 'default'
			when t.typname = 'text' or t.typname = 'name' then format('coalesce(%I::text, '''') || ''x''', a.attname)
			when t.typname in ('int4', 'int8', 'int2', 'numeric') then format('coalesce(%I, 0) + 1', a.attname)
			when t.typname = 'bool' then format('%I is not true', a.attname)
			when t.typname = 'uuid' then 'gen_random_uuid()'
			when t.typname = 'jsonb' then format('%I || ''{"x": 1}''', a.attname)
			when t.typname = 'jsonpath' then '''$.x'''
			when t.typname = 'bytea' then format('coalesce(%I, '''') || ''x''', a.attname)
			when t.typname = 'timestamptz' then format('coalesce(%I, now()) + interval ''1 s''', a.attname)
			else 'add this type to the test: ' || t.typname
		end
	from pg_attribute as a
	join pg_class as c on c.oid = a.attrelid and c.relkind in ('r', 'p')
	join pg_namespace as n on n.oid = c.relnamespace
	join pg_type as t on t.oid = a.atttypid
	where n.nspname in ('contracts', 'outbox', 'inbox') and a.attnum > 0 and not a.attisdropped
	order by 1, a.attnum`

func columns(t *testing.T, db tap.Querier) []column {
	t.Helper()
	rows, err := db.Query(t.Context(), columnsSQL)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c column, err error) {
		return c, row.Scan(&c.table, &c.name, &c.change)
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// tables are the tables that hold a row, which must be all of them: a trigger for rows fires for rows.
func tables(t *testing.T, db tap.Querier) []string {
	t.Helper()
	all := tap.Column[string](t, db, `
		select distinct format('%s.%s', n.nspname, c.relname)
		from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
		where n.nspname in ('contracts', 'outbox', 'inbox') and c.relkind in ('r', 'p')
		order by 1`)
	for _, table := range all {
		tap.IsntEmpty(t, db, "select from "+table)
	}
	return all
}

// mighty are the sessions that no grant stops.
func mighty(t *testing.T, d *busy.DB) map[string]*pgx.Conn {
	t.Helper()
	sessions := map[string]*pgx.Conn{"outbox_owner": d.As(t, "outbox_owner")}
	if d.IsSuperuser(t) {
		sessions["superuser"] = d.Conn(t)
		sessions["superuser as replica"] = d.Conn(t)
		tap.Exec(t, sessions["superuser as replica"], "set session_replication_role = replica")
	}
	return sessions
}
