package catalog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// unlike inserts a copy of a row of a table in which some columns differ. A new key, where one is needed, is among them.
type unlike struct{ constraint, table, differs string }

const (
	newEvent   = `"event_id": "00000000-0000-4000-8000-000000000001"`
	newAttempt = `"attempt_id": "00000000-0000-4000-8000-000000000001"`
	newReceipt = `"receipt_ref": "another", "event_id": "00000000-0000-4000-8000-000000000001"`
	newVersion = `"delivery_set_version": "another"`
	newAction  = `"action_id": 1000`
)

// constraints reach every constraint but those of deliveries, which tests/delivery has, and primary keys without a name.
var constraints = []unlike{
	{"schema_is_named", "contracts.schemas", `"schema": "event envelope", "document": {"$id": "urn:oceanway:contracts:event envelope"}`},
	{"schema_is_resolved", "contracts.schemas", `"schema": "Another@1", "document": {"$id": "urn:oceanway:contracts:Another@1"}, "resolved": {}`},
	{"schema_is_resolved", "contracts.schemas", `"schema": "Another@1", "document": {"$id": "urn:oceanway:contracts:Another@1"}, "resolved": {"properties": {"a": {"$ref": "x"}}}`},
	{"schema_document_names_itself", "contracts.schemas", `"schema": "Another@1"`},
	{"schema_document_names_itself", "contracts.schemas", `"schema": "Another@1", "document": {}`},
	{"namespace_is_ascii", "contracts.namespaces", `"namespace": "Settlement", "namespace_id": "00000000-0000-4000-8000-000000000001"`},
	{"namespace_id_is_unique", "contracts.namespaces", `"namespace": "another"`},
	{"candidate_schema_is_registered", "contracts.namespaces", `"namespace": "another", "namespace_id": "00000000-0000-4000-8000-000000000001", "candidate_schema": "Unknown@1"`},
	{"payload_schema_is_registered", "contracts.event_types", `"event_type": "another@1", "payload_schema": "Unknown@1"`},
	{"receipt_schema_is_registered", "outbox.destinations", `"destination": "x", "ack_kind": "x", "receipt_type": "Unknown"`},
	{"event_type_is_ascii", "contracts.event_types", `"event_type": "Run.created@1"`},
	{"event_type_is_ascii", "contracts.event_types", `"event_type": "run.créated@1"`},
	{"destination_is_ascii", "outbox.destinations", `"destination": "Core", "ack_kind": "x"`},
	{"destination_is_ascii", "outbox.destinations", `"destination": "x", "consumer_name": "a-b", "ack_kind": "x"`},
	{"ack_kind_is_unique", "outbox.destinations", `"destination": "x"`},
	{"error_code_is_ascii", "outbox.error_codes", `"error_code": "Bad code"`},
	{"settings_is_one_row", "outbox.settings", `"singleton": false`},
	{"max_append_events_is_sane", "outbox.settings", `"max_append_events": 0`},
	{"max_append_events_is_sane", "outbox.settings", `"max_append_events": 10001`},
	{"max_settle_outcomes_is_sane", "outbox.settings", `"max_settle_outcomes": 0`},
	{"max_settle_outcomes_is_sane", "outbox.settings", `"max_settle_outcomes": 10001`},
	{"max_envelope_bytes_is_sane", "outbox.settings", `"max_envelope_bytes": 1023`},
	{"max_envelope_bytes_is_sane", "outbox.settings", `"max_envelope_bytes": 1048577`},
	{"max_nesting_is_sane", "outbox.settings", `"max_nesting": 1`},
	{"max_nesting_is_sane", "outbox.settings", `"max_nesting": 65`},
	{"max_attempts_is_sane", "outbox.settings", `"max_attempts": 0`},
	{"action_is_known", "outbox.operator_actions", newAction + `, "action": "skip"`},
	{"pause_names_destination", "outbox.operator_actions", newAction + `, "action": "pause", "destination": null, "reason": "x"`},
	{"pause_names_destination", "outbox.operator_actions", newAction + `, "action": "resume", "destination": "core_operations", "reason": null`},
	{"action_destination_is_registered", "outbox.operator_actions", newAction + `, "destination": "nowhere"`},
	{"definition_digest_is_sha256", "outbox.delivery_set_versions", newVersion + `, "delivery_set_definition_digest": "\\x00"`},
	{"definition_schema_is_known", "outbox.delivery_set_versions", newVersion + `, "delivery_set_definition_schema_version": "2"`},
	{"digest_algorithm_is_known", "outbox.delivery_set_versions", newVersion + `, "delivery_set_definition_digest_algorithm_version": "sha1"`},
	{"applicable_event_has_definition", "outbox.delivery_set_applicable_events", newVersion},
	{"event_type_is_registered", "outbox.delivery_set_applicable_events", `"event_schema_version": "9"`},
	{"destination_is_bound_once", "outbox.delivery_set_members", `"mandatory": false`},
	{"projection_target_state_is_known", "outbox.delivery_set_members", `"projection_target_state": "optional", "projection_name": null, "projection_version": null`},
	{"required_projection_is_named", "outbox.delivery_set_members", `"projection_target_state": "required", "projection_name": null, "projection_version": null`},
	{"required_projection_is_named", "outbox.delivery_set_members", `"projection_target_state": "not_applicable", "projection_name": "x", "projection_version": "1"`},
	{"required_projection_is_named", "outbox.delivery_set_members", `"projection_target_state": "required", "projection_name": "x", "projection_version": null`},
	{"member_destination_is_registered", "outbox.delivery_set_members", `"destination": "nowhere"`},
	{"member_destination_is_registered", "outbox.delivery_set_members", `"destination": "metering_input_processor", "consumer_name": "another"`},
	{"member_event_is_applicable", "outbox.delivery_set_members", `"event_schema_version": "9"`},
	{"activation_has_definition", "outbox.delivery_set_activations", `"activation_id": 1000, ` + newVersion},
	{"one_delivery_set_is_active", "outbox.active_delivery_set", `"singleton": false`},
	{"active_set_is_registered", "outbox.active_delivery_set", newVersion},
	{"active_set_was_activated", "outbox.active_delivery_set", `"activation_id": 1000`},
	{"events_pkey", "outbox.events", `"aggregate_id": "another"`},
	{"aggregate_revision_is_unique", "outbox.events", newEvent},
	{"aggregate_revision_is_positive", "outbox.events", newEvent + `, "aggregate_revision": 0`},
	{"aggregate_revision_is_positive", "outbox.events", newEvent + `, "aggregate_revision": 9007199254740992`},
	{"envelope_digest_algorithm_is_known", "outbox.events", newEvent + `, "aggregate_revision": 2, "event_envelope_digest_algorithm_version": "sha1"`},
	{"envelope_digest_matches", "outbox.events", newEvent + `, "aggregate_revision": 2, "event_envelope": "{}"`},
	{"event_times_are_finite", "outbox.events", newEvent + `, "aggregate_revision": 2, "created_at": "infinity"`},
	{"event_times_are_finite", "outbox.events", newEvent + `, "aggregate_revision": 2, "occurred_at": "-infinity"`},
	{"tenant_kind_is_known", "outbox.events", newEvent + `, "aggregate_revision": 2, "tenant_kind": "team"`},
	{"published_once", "outbox.event_publications", `"published_at": "2026-11-30T12:00:00Z"`},
	{"publication_time_is_finite", "outbox.event_publications", newEvent + `, "published_at": "infinity"`},
	{"publication_has_event", "outbox.event_publications", newEvent},
	{"attempt_generation_is_first", "outbox.delivery_attempt_starts", newAttempt + `, "generation": 2`},
	{"attempt_start_time_is_finite", "outbox.delivery_attempt_starts", newAttempt + `, "started_at": "infinity"`},
	{"attempt_has_delivery", "outbox.delivery_attempt_starts", newAttempt + `, ` + newEvent},
	{"attempt_finishes_once", "outbox.delivery_attempt_finishes", `"finished_at": "2026-11-30T12:00:00Z"`},
	{"attempt_finish_time_is_finite", "outbox.delivery_attempt_finishes", newAttempt + `, "finished_at": "-infinity"`},
	{"failure_has_error_code", "outbox.delivery_attempt_finishes", newAttempt + `, "outcome": "retryable", "retry_disposition": "retry", "normalized_error_code": null`},
	{"failure_has_error_code", "outbox.delivery_attempt_finishes",
		newAttempt + `, "outcome": "acknowledged", "retry_disposition": "none", "normalized_error_code": "timeout", "sanitized_error_ref": null`},
	{"outcome_has_disposition", "outbox.delivery_attempt_finishes", newAttempt + `, "outcome": "acknowledged", "retry_disposition": "retry", "normalized_error_code": null`},
	{"outcome_has_disposition", "outbox.delivery_attempt_finishes", newAttempt + `, "outcome": "skipped", "retry_disposition": "none", "normalized_error_code": "timeout"`},
	{"success_has_no_error_ref", "outbox.delivery_attempt_finishes",
		newAttempt + `, "outcome": "acknowledged", "retry_disposition": "none", "normalized_error_code": null, "sanitized_error_ref": "x"`},
	{"finish_has_start", "outbox.delivery_attempt_finishes", newAttempt},
	{"quarantined_once", "outbox.quarantine", `"reason": "again"`},
	{"quarantine_generation_is_first", "outbox.quarantine", `"generation": 2`},
	{"quarantine_has_delivery", "outbox.quarantine", newEvent},
	{"note_says_something", "outbox.quarantine_notes", `"note_id": 1000, "case_id": null, "note": null`},
	{"note_has_quarantine", "outbox.quarantine_notes", `"note_id": 1000, ` + newEvent},
	{"receipt_ref_is_unique", "inbox.receipts", newEvent},
	{"receipt_is_unique_per_event", "inbox.receipts", `"receipt_ref": "another"`},
	{"projection_is_named_whole", "inbox.receipts", newReceipt + `, "projection_name": "x", "projection_version": null`},
	{"receipt_digest_algorithm_is_known", "inbox.receipts", newReceipt + `, "receipt_digest_algorithm_version": "sha1"`},
	{"receipt_digest_is_sha256", "inbox.receipts", newReceipt + `, "receipt_digest": "\\x00"`},
	{"receipt_event_digest_algorithm_is_known", "inbox.receipts", newReceipt + `, "event_envelope_digest_algorithm_version": "sha1"`},
	{"receipt_event_digest_is_sha256", "inbox.receipts", newReceipt + `, "event_envelope_sha256": "\\x00"`},
}

// lived is a database in which every table has a row.
func lived(t *testing.T) *testdb.DB {
	t.Helper()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	acknowledged := fixture.AppendAndClaim(t, db, fixture.Operations)
	fixture.Settle(t, db, fixture.Acknowledge(acknowledged))
	quarantined := fixture.AppendAndClaim(t, db, fixture.Metering)
	fixture.Settle(t, db, fixture.Quarantine(quarantined, "event_unprocessable"))
	tap.Exec(t, db, "select outbox.note_quarantine($1, $2, 'case 1', 'seen')", quarantined.EventID, quarantined.Destination)
	receipt, prefix := fixture.Receipt(acknowledged), contracts.ReceiptPrefix(acknowledged.ExpectedReceiptType)
	for _, name := range []string{prefix + "Ref", prefix + "Digest", "appliedAt"} {
		delete(receipt, name)
	}
	tap.Exec(t, db, "select inbox.record_receipt($1, $2::json)", acknowledged.ExpectedReceiptType, fixture.JSON(receipt))
	return d
}

// TestConstraintsHoldEvenWithoutTriggers takes the triggers of a table away, as an owner could, and inserts rows that only
// a constraint can refuse.
func TestConstraintsHoldEvenWithoutTriggers(t *testing.T) {
	t.Parallel()
	db := lived(t).Conn(t)
	for _, c := range constraints {
		t.Run(c.constraint+" "+c.differs, func(t *testing.T) {
			if !json.Valid([]byte("{" + c.differs + "}")) {
				t.Fatal("the difference is no JSON")
			}
			tx, err := db.Begin(t.Context())
			must(t, err)
			defer rollback(t, tx)
			tap.Exec(t, tx, "alter table "+c.table+" disable trigger user")
			code := tap.Value[string](t, tx, "select case contype when 'c' then '23514' when 'f' then '23503' else '23505' end from pg_constraint where conname = $1 and conrelid = $2::text::regclass", c.constraint, c.table)
			written := tap.Value[string](t, tx, "select string_agg(quote_ident(attname), ', ') from pg_attribute where attrelid = $1::text::regclass and attnum > 0 and attgenerated = ''", c.table)
			statement := fmt.Sprintf("insert into %[1]s (%[2]s) overriding system value select %[2]s from (select (jsonb_populate_record(null::%[1]s, to_jsonb(x) || $1)).* from %[1]s as x limit 1) as r",
				c.table, written)
			if strings.HasPrefix(c.constraint, "active_set_") { // there is only one row
				statement = fmt.Sprintf("update %[1]s set (delivery_set_version, activation_id) = (select r.delivery_set_version, r.activation_id "+
					"from %[1]s as x, jsonb_populate_record(null::%[1]s, to_jsonb(x) || $1) as r)", c.table)
			}
			tap.Throws(t, tx, code, c.constraint, statement, "{"+c.differs+"}")
		})
	}
}

func rollback(t *testing.T, tx pgx.Tx) {
	t.Helper()
	must(t, tx.Rollback(t.Context()))
}

func TestEveryConstraintIsTested(t *testing.T) {
	t.Parallel()
	tested := make([]string, len(constraints))
	for i, c := range constraints {
		tested[i] = c.table + " " + c.constraint
	}
	slices.Sort(tested)
	tap.IsEmpty(t, testdb.New(t).Conn(t), `
		select o.conrelid::regclass::text, o.conname from pg_constraint o join pg_namespace n on n.oid = o.connamespace
		where `+ours+` and o.contype not in ('t', 'n') and o.conrelid <> 'outbox.deliveries'::regclass
			and o.conname !~ '_(pkey|key)$' and not o.conrelid::regclass || ' ' || o.conname = any ($1)`, slices.Compact(tested))
}
