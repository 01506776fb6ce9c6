package delivery_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/oceanway/outbox/tests/tap"
)

// checks reach every CHECK of deliveries behind its triggers: the state that a row is in, and what breaks it there.
var checks = []struct{ constraint, state, set string }{
	{"generation_is_first", pending, "generation = 2"},
	{"delivery_is_mandatory", pending, "mandatory = false"},
	{"delivery_times_are_finite", pending, "available_at = 'infinity'"},
	{"delivery_times_are_finite", pending, "created_at = '-infinity'"},
	{"delivery_times_are_finite", leased, "lease_expires_at = 'infinity'"},
	{"delivery_times_are_finite", leased, "last_attempt_at = '-infinity'"},
	{"delivery_times_are_finite", acknowledged, "delivered_at = 'infinity'"},
	{"attempt_count_is_positive", pending, "attempt_count = -1"},
	{"status_is_known", pending, "status = 'delivered'"},
	{"status_is_known", pending, "status = 'Pending'"},
	{"status_is_known", leased, "status = 'retryable'"},
	{"status_is_known", quarantined, "status = 'dead_letter'"},
	{"pending_holds_nothing", pending, "lease_owner = 'w'"},
	{"pending_holds_nothing", pending, "lease_token = 1"},
	{"pending_holds_nothing", pending, "lease_expires_at = now()"},
	{"pending_holds_nothing", pending, "current_attempt_id = gen_random_uuid()"},
	{"leased_has_attempt", leased, "lease_token = null"},
	{"leased_has_attempt", leased, "current_attempt_id = null"},
	{"leased_has_attempt", leased, "lease_owner = null"},
	{"leased_has_attempt", leased, "lease_expires_at = null"},
	{"leased_has_attempt", recovered, "lease_owner = 'w'"},
	{"leased_has_attempt", recovered, "lease_expires_at = now()"},
	{"terminal_holds_no_lease", acknowledged, "lease_owner = 'w'"},
	{"terminal_holds_no_lease", acknowledged, "lease_token = 1"},
	{"terminal_holds_no_lease", acknowledged, "lease_expires_at = now()"},
	{"terminal_holds_no_lease", acknowledged, "current_attempt_id = null"},
	{"terminal_holds_no_lease", quarantined, "lease_token = 1"},
	{"terminal_holds_no_lease", quarantined, "current_attempt_id = null"},
	{"attempted_has_attempt_time", leased, "last_attempt_at = null"},
	{"attempted_has_attempt_time", pending, "last_attempt_at = now()"},
	{"acknowledged_has_ack", acknowledged, "delivered_at = null"},
	{"acknowledged_has_ack", acknowledged, "ack_consumer_name = null"},
	{"acknowledged_has_ack", acknowledged, "ack_receipt_type = null"},
	{"acknowledged_has_ack", acknowledged, "ack_receipt_ref = null"},
	{"acknowledged_has_ack", acknowledged, "ack_receipt_schema_version = null"},
	{"acknowledged_has_ack", acknowledged, "ack_receipt_digest_algorithm_version = null"},
	{"acknowledged_has_ack", acknowledged, "ack_receipt_digest = null"},
	{"acknowledged_has_ack", acknowledged, "ack_event_envelope_digest_algorithm_version = null"},
	{"acknowledged_has_ack", acknowledged, "ack_event_envelope_sha256 = null"},
	{"acknowledged_has_ack", pending, "delivered_at = now()"},
	{"acknowledged_has_ack", leased, "ack_receipt_ref = 'r'"},
	{"acknowledged_has_ack", quarantined, "ack_receipt_ref = 'r'"},
	{"ack_matches_frozen_member", acknowledged, "ack_consumer_name = 'another'"},
	{"ack_matches_frozen_member", acknowledged, "ack_receipt_type = 'MeteringInputProcessorConsumerReceipt'"},
	{"ack_matches_frozen_member", acknowledged, "ack_receipt_schema_version = '2'"},
	{"ack_matches_frozen_member", acknowledged, "ack_receipt_digest_algorithm_version = 'sha1'"},
	{"ack_matches_frozen_member", acknowledged, "ack_receipt_digest = 'short'"},
	{"quarantined_has_error", quarantined, "last_error_code = null"},
}

func TestConstraintsHoldEvenWithoutTriggers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events := inEachState(t, w)
	owner := begin(t, w.As(t, "outbox_owner"), "")
	tap.Exec(t, owner, "alter table outbox.deliveries disable trigger user")
	for _, c := range checks {
		t.Run(fmt.Sprintf("%s of %s: %s", c.constraint, c.state, c.set), func(t *testing.T) {
			tap.Throws(t, owner, "23514", c.constraint, "update outbox.deliveries set "+c.set+" where event_id = $1::text::uuid", events[c.state])
		})
	}
	rollback(t, owner)
}

func TestEveryConstraintOfDeliveriesIsTested(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, constraint := range tap.Column[string](t, w.admin,
		"select conname::text from pg_constraint where conrelid = 'outbox.deliveries'::regclass and contype = 'c'") {
		tested := slices.ContainsFunc(checks, func(c struct{ constraint, state, set string }) bool { return c.constraint == constraint })
		tap.Ok(t, tested, "a test of "+constraint)
	}
}
