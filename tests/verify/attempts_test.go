package verify_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
)

// current addresses the current attempt of an event's Operations delivery.
func current(event string) string {
	return " where attempt_id = (select current_attempt_id from outbox.deliveries" + where(event) + " and destination = 'core_operations')"
}

const noLease = "lease_owner = null, lease_token = null, lease_expires_at = null"

const noAck = `delivered_at = null, ack_consumer_name = null, ack_receipt_type = null, ack_receipt_ref = null,
	ack_receipt_schema_version = null, ack_receipt_digest_algorithm_version = null, ack_receipt_digest = null,
	ack_event_envelope_digest_algorithm_version = null, ack_event_envelope_sha256 = null`

func TestStateWithoutItsAttemptsIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	attempts := func(event string) violation {
		return violation{"delivery_agrees_with_attempts", event, fixture.Operations}
	}
	published := func(event string) violation { return violation{"event_is_published_when_complete", event, ""} }
	set := func(event, change string) string {
		return "update outbox.deliveries set " + change + where(event) + " and destination = 'core_operations'"
	}
	v.finds(t,
		damage{"pending, though an attempt is open", set(v.Leased, "status = 'pending', current_attempt_id = null, "+noLease), []violation{attempts(v.Leased)}},
		damage{"pending, though acknowledged", set(v.Published, "status = 'pending', current_attempt_id = null, "+noAck),
			[]violation{attempts(v.Published), published(v.Published)}},
		damage{"pending, though quarantined", set(v.Quarantined, "status = 'pending', current_attempt_id = null"),
			[]violation{{"quarantine_matches_delivery", v.Quarantined, fixture.Operations}}},
		damage{"recovered, though the attempt is open", set(v.Leased, "lease_owner = null, lease_expires_at = null"), []violation{attempts(v.Leased)}},
		damage{"leased, though the attempt is closed", set(v.Recovered, "lease_owner = 'w', lease_expires_at = now()"), []violation{attempts(v.Recovered)}},
		damage{"quarantined, though the attempt is open", set(v.Leased, "status = 'quarantined', "+noLease),
			[]violation{attempts(v.Leased), {"quarantine_matches_delivery", v.Leased, fixture.Operations}}},
		damage{"another current attempt", set(v.Leased, "current_attempt_id = gen_random_uuid()"), []violation{attempts(v.Leased)}},
		damage{"another current attempt of an acknowledged one", set(v.Published, "current_attempt_id = gen_random_uuid()"), []violation{attempts(v.Published)}},
		damage{"another token", set(v.Leased, "lease_token = lease_token + 1000"), []violation{attempts(v.Leased)}},
		damage{"an older token", set(v.Leased, "lease_token = 1"), []violation{attempts(v.Leased)}},
		damage{"one attempt counted too many", set(v.Retried, "attempt_count = attempt_count + 1"), []violation{attempts(v.Retried)}},
		damage{"one attempt counted too few", set(v.Leased, "attempt_count = attempt_count - 1"), []violation{attempts(v.Leased)}},
		damage{"acknowledged without attempts", set(v.Pending, `status = 'acknowledged', current_attempt_id = gen_random_uuid(), delivered_at = now(),
			ack_consumer_name = consumer_name, ack_receipt_type = expected_receipt_type, ack_receipt_ref = 'r',
			ack_receipt_schema_version = expected_receipt_schema_version, ack_receipt_digest_algorithm_version = 'jcs-sha256-v1',
			ack_receipt_digest = sha256('r'), ack_event_envelope_digest_algorithm_version = 'jcs-sha256-v1',
			ack_event_envelope_sha256 = (select e.event_envelope_sha256 from outbox.events as e where e.event_id = deliveries.event_id)`),
			[]violation{attempts(v.Pending), published(v.Pending)}},
	)
}

func TestAttemptFactsThatDisagreeAreFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	attempts := func(event string) []violation {
		return []violation{{"delivery_agrees_with_attempts", event, fixture.Operations}}
	}
	orphan := violation{"finish_has_start", "", ""}
	const finishes, starts = "outbox.delivery_attempt_finishes", "outbox.delivery_attempt_starts"
	v.finds(t,
		damage{"finish of an acknowledgement gone", "delete from " + finishes + current(v.Published), attempts(v.Published)},
		damage{"finish of a quarantine gone", "delete from " + finishes + current(v.Quarantined), attempts(v.Quarantined)},
		damage{"finish of a recovery gone", "delete from " + finishes + current(v.Recovered), attempts(v.Recovered)},
		damage{"finish of a retry gone", "delete from " + finishes + " where attempt_id in (select attempt_id from " + starts + where(v.Retried) + ")", attempts(v.Retried)},
		damage{"finish says another outcome", "update " + finishes + " set outcome = 'retryable', retry_disposition = 'retry', normalized_error_code = 'timeout'" +
			current(v.Published), attempts(v.Published)},
		damage{"finish of a quarantine says retry", "update " + finishes + " set outcome = 'retryable', retry_disposition = 'retry'" + current(v.Quarantined), attempts(v.Quarantined)},
		damage{"finish of an open attempt", "insert into " + finishes + " select current_attempt_id, now(), 'acknowledged', 'none' from outbox.deliveries" + where(v.Leased), attempts(v.Leased)},
		damage{"second acknowledgement", "update " + finishes + " set outcome = 'acknowledged', retry_disposition = 'none', normalized_error_code = null, sanitized_error_ref = null" +
			" where attempt_id in (select attempt_id from " + starts + where(v.Retried) + ")", attempts(v.Retried)},
		damage{"start gone", "delete from " + starts + current(v.Published), append(attempts(v.Published), orphan)},
		damage{"start of a retry gone", "delete from " + starts + where(v.Retried), append(attempts(v.Retried), orphan)},
		damage{"start of nothing", "insert into " + starts + " values (gen_random_uuid(), '" + v.Pending + "', 'core_operations', 1, 1, 'w', now())", attempts(v.Pending)},
		damage{"start with another token", "update " + starts + " set lease_token = lease_token + 1000" + current(v.Leased), attempts(v.Leased)},
	)
}

func TestAcknowledgementOfAnotherIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	var all []damage
	for _, change := range []string{
		"ack_event_envelope_sha256 = sha256('x')", "ack_event_envelope_digest_algorithm_version = 'x'", "ack_consumer_name = 'x'",
		"ack_receipt_type = 'x'", "ack_receipt_schema_version = '2'",
	} {
		all = append(all, damage{change, "update outbox.deliveries set " + change + where(v.Published),
			[]violation{{"ack_matches_event", v.Published, fixture.Operations}}})
	}
	v.finds(t, all...)
}

func TestQuarantineThatDisagreesIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	quarantine := func(event string) []violation {
		return []violation{{"quarantine_matches_delivery", event, fixture.Operations}}
	}
	const insert = `
		insert into outbox.quarantine (event_id, destination, reason, event_envelope_digest_algorithm_version, event_envelope_sha256, quarantined_at)
		select event_id, 'core_operations', 'x', event_envelope_digest_algorithm_version, event_envelope_sha256, now() from outbox.events`
	v.finds(t,
		damage{"row gone", "delete from outbox.quarantine" + where(v.Quarantined), quarantine(v.Quarantined)},
		damage{"row of a pending delivery", insert + where(v.Pending), quarantine(v.Pending)},
		damage{"row of an acknowledged delivery", insert + where(v.Published), quarantine(v.Published)},
		damage{"another digest", "update outbox.quarantine set event_envelope_sha256 = sha256('x')" + where(v.Quarantined), quarantine(v.Quarantined)},
		damage{"another algorithm", "update outbox.quarantine set event_envelope_digest_algorithm_version = 'x'" + where(v.Quarantined), quarantine(v.Quarantined)},
	)
}

func TestFactOfNothingIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	const nobody = "01890000-0000-7000-8000-000000000001"
	v.finds(t,
		damage{"delivery of no event", `insert into outbox.deliveries
			select (jsonb_populate_record(d, '{"event_id": "` + nobody + `"}')).* from outbox.deliveries as d` + where(v.Pending),
			[]violation{{"delivery_has_event", nobody, fixture.Operations}}},
		damage{"publication of no event", "insert into outbox.event_publications values ('" + nobody + "', now())",
			[]violation{{"publication_has_event", nobody, ""}}},
		damage{"start of no delivery", "insert into outbox.delivery_attempt_starts values (gen_random_uuid(), '" + nobody + "', 'core_operations', 1, 1, 'w', now())",
			[]violation{{"attempt_has_delivery", nobody, fixture.Operations}}},
		damage{"finish of no start", "insert into outbox.delivery_attempt_finishes values ('" + nobody + "', now(), 'acknowledged', 'none')",
			[]violation{{"finish_has_start", "", ""}}},
		damage{"quarantine of no delivery", "insert into outbox.quarantine values ('" + nobody + "', 'core_operations', 1, 'x', 'jcs-sha256-v1', sha256('x'), now())",
			[]violation{{"quarantine_has_delivery", nobody, fixture.Operations}}},
	)
}
