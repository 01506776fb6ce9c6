package catalog_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// everybody are the roles that services and people are given.
var everybody = roles[1:]

var readers = []string{"outbox_reader", "outbox_payload_reader"}

// entryPoint is a function of the public interface: how it is called, and who may.
type entryPoint struct {
	name, arguments, result string
	call                    string
	callers                 []string
}

// entryPoints are the public interface.
var entryPoints = []entryPoint{
	{"contracts.jcs", "p_document json", "text", "contracts.jcs('{}')", everybody},
	{"contracts.validate", "p_schema text, p_document json", "SETOF contracts.violation", "contracts.validate('EventEnvelope@1', '{}')", everybody},
	{"contracts.digest", "p_schema text, p_document json", "bytea", "contracts.digest('EventEnvelope@1', '{}')", everybody},
	{"contracts.derive_id", "p_namespace text, p_candidate json", "uuid", "contracts.derive_id('x', '{}')", everybody},
	{"contracts.derive_key", "p_namespace text, p_candidate json", "text", "contracts.derive_key('x', '{}')", everybody},
	{"contracts.delivery_set_violations", "p_definition json", "SETOF contracts.violation", "contracts.delivery_set_violations('{}')",
		append([]string{"outbox_governor"}, readers...)},
	{"outbox.rfc3339", "p_time timestamp with time zone", "text", "outbox.rfc3339(now())", everybody},
	{"outbox.new_event_id", "", "uuid", "outbox.new_event_id()", []string{"outbox_producer"}},
	{"outbox.append_event", "p_envelope json, p_expected_digest_algorithm_version text DEFAULT NULL::text, p_expected_sha256 bytea DEFAULT NULL::bytea",
		"outbox.appended_event", "outbox.append_event('{}')", []string{"outbox_producer"}},
	{"outbox.append_events", "p_envelopes json[]", "SETOF outbox.appended_event", "outbox.append_events('{}')", []string{"outbox_producer"}},
	{"outbox.assert_event_applicable", "p_event_type text, p_event_schema_version text, p_expected_members json DEFAULT NULL::json", "void",
		"outbox.assert_event_applicable('a', 'b')", []string{"outbox_producer"}},
	{"outbox.register_delivery_set", "p_definition json, p_source_release text", "text", "outbox.register_delivery_set('{}', 'x')", []string{"outbox_governor"}},
	{"outbox.activate_delivery_set",
		"p_delivery_set_version text, p_schema_version text, p_digest_algorithm_version text, p_digest bytea, p_wait interval DEFAULT '00:00:05'::interval",
		"text", "outbox.activate_delivery_set('x', '1', 'a', '')", []string{"outbox_governor"}},
	{"outbox.lock_cutover", "p_wait interval DEFAULT '00:00:05'::interval", "void", "outbox.lock_cutover('0')", []string{"outbox_governor"}},
	{"outbox.change_settings", "p_settings json, p_reason text", "void", "outbox.change_settings('[]', 'x')", []string{"outbox_governor"}},
	{"outbox.advance_lease_tokens", "p_beyond bigint, p_reason text", "bigint", "outbox.advance_lease_tokens(-1, 'x')", []string{"outbox_governor"}},
	{"outbox.claim_deliveries",
		"p_destination text, p_worker text, p_limit integer, p_lease interval, p_after outbox.claim_position DEFAULT NULL::outbox.claim_position, " +
			"p_max_bytes bigint DEFAULT NULL::bigint",
		"SETOF outbox.claimed_delivery", "outbox.claim_deliveries('core_operations', 'w', 1, '1 s', row(now(), now(), gen_random_uuid())::outbox.claim_position)",
		[]string{"outbox_dispatcher"}},
	{"outbox.renew_leases", "p_leases json, p_lease interval", "SETOF outbox.settled_attempt", "outbox.renew_leases('[]', '1 s')", []string{"outbox_dispatcher"}},
	{"outbox.settle_attempts", "p_outcomes json", "SETOF outbox.settled_attempt", "outbox.settle_attempts('[]')", []string{"outbox_dispatcher"}},
	{"outbox.acknowledge_delivery", "p_outcome json", "outbox.settled_attempt", "outbox.acknowledge_delivery('{}')", []string{"outbox_dispatcher"}},
	{"outbox.retry_delivery", "p_outcome json", "outbox.settled_attempt", "outbox.retry_delivery('{}')", []string{"outbox_dispatcher"}},
	{"outbox.quarantine_delivery", "p_outcome json", "outbox.settled_attempt", "outbox.quarantine_delivery('{}')", []string{"outbox_dispatcher"}},
	{"outbox.recover_expired_leases", "p_limit integer, p_delay interval DEFAULT '00:00:00'::interval", "SETOF outbox.recovered_attempt",
		"outbox.recover_expired_leases(1)", []string{"outbox_dispatcher"}},
	{"outbox.pause_destination", "p_destination text, p_reason text", "text", "outbox.pause_destination('x', 'x')", []string{"outbox_operator"}},
	{"outbox.resume_destination", "p_destination text, p_reason text", "text", "outbox.resume_destination('x', 'x')", []string{"outbox_operator"}},
	{"outbox.note_quarantine", "p_event_id uuid, p_destination text, p_case_id text, p_note text", "bigint",
		"outbox.note_quarantine(gen_random_uuid(), 'x', 'x', 'x')", []string{"outbox_operator"}},
	{"outbox.read_frozen_member", "p_event_id uuid, p_destination text", "SETOF outbox.frozen_member", "outbox.read_frozen_member(gen_random_uuid(), 'x')",
		append([]string{"outbox_dispatcher"}, readers...)},
	{"outbox.verify", "p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, " +
		"p_canonical boolean DEFAULT false", "SETOF outbox.violation", "outbox.verify()", readers},
	{"inbox.record_receipt", "p_receipt_type text, p_candidate json", "inbox.recorded_receipt", "inbox.record_receipt('X', '{}')", []string{"outbox_consumer"}},
	{"inbox.read_receipt",
		"p_receipt_type text, p_receipt_ref text, p_receipt_schema_version text, p_receipt_digest_algorithm_version text, p_receipt_digest bytea, p_expected json",
		"inbox.read_result", "inbox.read_receipt('X', 'x', '1', 'a', '', '{}')", []string{"outbox_consumer"}},
}

// relations that somebody may read; nobody but the owner reads any other.
var relations = map[string][]string{
	"outbox.lease_tokens":   {"outbox_governor"},
	"outbox.event_overview": readers, "outbox.delivery_overview": readers, "outbox.attempt_overview": readers, "outbox.quarantine_overview": readers,
	"outbox.backlog": readers, "outbox.stuck_leases": readers, "outbox.event_publications": readers, "outbox.quarantine_notes": readers,
	"outbox.operator_actions":     readers,
	"outbox.event_envelopes":      {"outbox_payload_reader"},
	"contracts.event_types":       governing,
	"contracts.schemas":           everybody,
	"contracts.namespaces":        everybody,
	"outbox.destinations":         governing,
	"outbox.error_codes":          governing,
	"outbox.settings":             governing,
	"outbox.active_delivery_set":  governing,
	"outbox.delivery_set_members": governing, "outbox.delivery_set_versions": governing, "outbox.delivery_set_applicable_events": governing,
	"outbox.delivery_set_activations": governing, "outbox.delivery_set_overview": governing, "outbox.errors": governing, "outbox.invariants": governing,
	"public.outbox_schema_version": append([]string{"outbox_owner"}, everybody...),
}

var governing = append([]string{"outbox_governor"}, readers...)

// mayRun tells whether a session has the right to run a statement; whether it then succeeds is another matter. Nothing it
// did stays.
func mayRun(t *testing.T, db *pgx.Conn, sql string) bool {
	t.Helper()
	tx, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, failed := tx.Exec(t.Context(), sql)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if report, ok := errors.AsType[*pgconn.PgError](failed); ok {
		if strings.HasPrefix(report.Code, "OX") || report.Code == "42501" {
			return report.Code != "42501"
		}
		t.Errorf("%s\n  fails otherwise than by a refusal: %v", sql, failed)
	}
	return failed == nil
}

// sessions are a session that took the role on, and one of a login that is only a member of it.
func sessions(t *testing.T, d *testdb.DB, role string) map[string]*pgx.Conn {
	t.Helper()
	return map[string]*pgx.Conn{"set role " + role: d.As(t, role), "login in " + role: d.Login(t, role)}
}

func TestEachRoleCallsItsFunctionsAndNoOther(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	for _, role := range everybody {
		for name, db := range sessions(t, d, role) {
			for _, f := range entryPoints {
				if got, want := mayRun(t, db, "select * from "+f.call), slices.Contains(f.callers, role); got != want {
					t.Errorf("%s may call %s: %t, want %t", name, f.name, got, want)
				}
			}
		}
	}
	for _, f := range entryPoints {
		tap.Ok(t, !mayRun(t, d.Login(t), "select * from "+f.call), "a login without a role may not call "+f.name)
	}
}

func TestInternalFunctionsAreGrantedToNobody(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	names := make([]string, len(entryPoints))
	for i, f := range entryPoints {
		names[i] = f.name
	}
	tap.IsEmpty(t, db, `
		select p.oid::regprocedure::text, r.rolname
		from pg_proc p join pg_namespace n on n.oid = p.pronamespace cross join pg_roles r
		where `+ours+` and r.rolname = any ($1) and not n.nspname || '.' || p.proname = any ($2) and has_function_privilege(r.oid, p.oid, 'execute')`,
		everybody, names)
}

func TestPublicInterfaceHasItsSignatures(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, f := range entryPoints {
		schema, name, _ := strings.Cut(f.name, ".")
		tap.FunctionReturns(t, db, schema, name, f.arguments, f.result)
		tap.FunctionOwnerIs(t, db, schema, name, "outbox_owner")
	}
}

func TestEachRoleReadsItsRelationsAndNoOther(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	all := tap.Column[string](t, d.Conn(t), `
		select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where `+ours+` and c.relkind in ('r', 'p', 'v', 'm', 'S') union all select 'public.outbox_schema_version'`)
	for name := range relations {
		tap.Ok(t, slices.Contains(all, name), name+" exists")
	}
	for _, role := range everybody {
		for name, db := range sessions(t, d, role) {
			for _, relation := range all {
				if got, want := mayRun(t, db, "select * from "+relation), slices.Contains(relations[relation], role); got != want {
					t.Errorf("%s may read %s: %t, want %t", name, relation, got, want)
				}
			}
		}
	}
}

// TestNoRoleReachesWhatItMustNot tries what a session could do to the database beside calling and reading.
func TestNoRoleReachesWhatItMustNot(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	tap.Exec(t, d.Conn(t), "create schema mine; grant all on schema mine to public")
	for _, role := range everybody {
		for name, db := range sessions(t, d, role) {
			for _, sql := range []string{
				"create table outbox.mine (x int)", "create function outbox.mine() returns int language sql return 1", "create view contracts.mine as select 1",
				"drop function outbox.append_event", "drop table outbox.events", "drop schema inbox cascade",
				"alter table outbox.events disable trigger all", "alter table outbox.deliveries add column mine int", "alter table outbox.events owner to current_user",
				"alter function outbox.append_event reset all", "create or replace function outbox.rfc3339(p_time timestamptz) returns text language sql return ''",
				"create trigger mine before insert on outbox.events for each row execute function outbox.refuse_change()",
				"create rule mine as on insert to outbox.events do instead nothing", "create index on outbox.events (tenant_id)",
				"create table mine.mine (event_id uuid references outbox.events (event_id))",
				"lock table outbox.active_delivery_set in access exclusive mode", "lock table outbox.deliveries in access share mode",
				"select nextval('outbox.lease_tokens')", "select setval('outbox.lease_tokens', 1)", "copy outbox.events to stdout", "copy outbox.deliveries from stdin",
				"grant outbox_owner to current_user", "grant all on outbox.events to current_user",
				"comment on table outbox.events is 'mine'", "set session_replication_role = replica", "alter default privileges for role outbox_owner grant all on tables to public",
				"create event trigger mine on ddl_command_start execute function outbox.refuse_change()", "truncate outbox.events",
			} {
				if !mayRun(t, db, sql) {
					continue
				}
				t.Errorf("%s may: %s", name, sql)
			}
		}
	}
}

func TestLoginOfARoleCannotBecomeTheOwner(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	for _, role := range everybody {
		db := d.Login(t, role)
		tap.Throws(t, db, "42501", "", "set role outbox_owner")
		tap.LivesOK(t, db, "set role "+role)
	}
}

func TestLoginOfSeveralRolesHasTheSumOfTheirRights(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Login(t, "outbox_producer", "outbox_consumer")
	for _, f := range entryPoints {
		want := slices.Contains(f.callers, "outbox_producer") || slices.Contains(f.callers, "outbox_consumer")
		tap.Is(t, mayRun(t, db, "select * from "+f.call), want, f.name)
	}
}
