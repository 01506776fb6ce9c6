package delivery_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// The states of a delivery, with "recovered" for a leased one whose lease is gone.
const (
	pending      = "pending"
	leased       = "leased"
	recovered    = "recovered"
	acknowledged = "acknowledged"
	quarantined  = "quarantined"
)

// lawbreakers are the sessions that no grant stops: only the triggers and constraints are left.
func lawbreakers(t *testing.T, w *world) map[string]*pgx.Conn {
	t.Helper()
	sessions := map[string]*pgx.Conn{"outbox_owner": w.As(t, "outbox_owner")}
	if w.IsSuperuser(t) {
		sessions["superuser"] = w.admin
		replica := w.Conn(t)
		tap.Exec(t, replica, "set session_replication_role = replica")
		sessions["superuser as replica"] = replica
	}
	return sessions
}

// inEachState makes one Operations delivery per state and returns their event ids.
func inEachState(t *testing.T, w *world) map[string]string {
	t.Helper()
	ids := fixture.AppendMany(t, w.producer, 5)
	claims := fixture.Claim(t, w.dispatcher, fixture.Operations, 4)
	w.settle(t, []string{"complete", "quarantined"}, fixture.Acknowledge(claims[1]), fixture.Quarantine(claims[2], "event_unprocessable"))
	w.expire(t, claims[3])
	tap.IsntEmpty(t, w.dispatcher, "select attempt_id from outbox.recover_expired_leases(1)")
	return map[string]string{leased: ids[0], acknowledged: ids[1], quarantined: ids[2], recovered: ids[3], pending: ids[4]}
}

// The assignments that give a row the columns of a state. What they claim is backed by no attempt.
const (
	toPending = `status = 'pending', lease_owner = null, lease_token = null, lease_expires_at = null, current_attempt_id = null,
		last_error_code = 'timeout', delivered_at = null` + noAck
	toClaimed = `status = 'leased', lease_owner = 'w', lease_token = nextval('outbox.lease_tokens'),
		lease_expires_at = now() + interval '1 min', current_attempt_id = gen_random_uuid(), attempt_count = attempt_count + 1,
		last_attempt_at = now(), delivered_at = null` + noAck
	toRenewed = `status = 'leased', lease_owner = coalesce(lease_owner, 'w'), lease_token = coalesce(lease_token, 1),
		lease_expires_at = now() + interval '2 min', current_attempt_id = coalesce(current_attempt_id, gen_random_uuid()), delivered_at = null` + noAck
	toRecovered = `status = 'leased', lease_owner = null, lease_token = coalesce(lease_token, 1), lease_expires_at = null,
		current_attempt_id = coalesce(current_attempt_id, gen_random_uuid()), last_error_code = 'lease_expired_unknown', delivered_at = null` + noAck
	toAcknowledgedFor = `status = 'acknowledged', lease_owner = null, lease_token = null, lease_expires_at = null,
		current_attempt_id = coalesce(current_attempt_id, gen_random_uuid()), delivered_at = now(), ack_consumer_name = consumer_name,
		ack_receipt_type = expected_receipt_type, ack_receipt_ref = 'r', ack_receipt_schema_version = expected_receipt_schema_version,
		ack_receipt_digest_algorithm_version = 'jcs-sha256-v1', ack_receipt_digest = sha256('r'),
		ack_event_envelope_digest_algorithm_version = 'jcs-sha256-v1', ack_event_envelope_sha256 = `
	toAcknowledged = toAcknowledgedFor + `(select e.event_envelope_sha256 from outbox.events as e where e.event_id = d.event_id)`
	toQuarantined  = `status = 'quarantined', lease_owner = null, lease_token = null, lease_expires_at = null,
		current_attempt_id = coalesce(current_attempt_id, gen_random_uuid()), last_error_code = 'event_unprocessable', delivered_at = null` + noAck
	noAck = `, ack_consumer_name = null, ack_receipt_type = null, ack_receipt_ref = null, ack_receipt_schema_version = null,
		ack_receipt_digest_algorithm_version = null, ack_receipt_digest = null, ack_event_envelope_digest_algorithm_version = null,
		ack_event_envelope_sha256 = null`
	toClaimedWithTheOldToken = `status = 'leased', lease_owner = 'w', lease_expires_at = now() + interval '1 min',
		current_attempt_id = gen_random_uuid(), attempt_count = attempt_count + 1, last_attempt_at = now()`
	unchanged = "status = status"
)

const (
	illegal   = "delivery_moves_legally"
	unfounded = "delivery_agrees_with_attempts"
)

// moves is every way from a state to a state, with the invariant that refuses it.
var moves = []struct{ from, to, set, invariant string }{
	{pending, pending, unchanged, illegal},
	{pending, pending, "available_at = available_at - interval '1 day'", illegal},
	{pending, pending, "attempt_count = 1, last_attempt_at = now()", illegal},
	{pending, leased, toClaimed, unfounded},
	{pending, leased, toRenewed, illegal},
	{pending, recovered, toRecovered, illegal},
	{pending, acknowledged, toAcknowledged, illegal},
	{pending, quarantined, toQuarantined, illegal},

	{leased, pending, toPending, unfounded},
	{leased, leased, toClaimed, illegal},
	{leased, leased, "lease_owner = 'another'", illegal},
	{leased, leased, "lease_token = lease_token + 1", illegal},
	{leased, leased, "attempt_count = attempt_count + 1", illegal},
	{leased, leased, "last_attempt_at = now() + interval '1 day'", illegal},
	{leased, leased, "available_at = available_at - interval '1 day'", illegal},
	{leased, leased, "lease_expires_at = lease_expires_at - interval '1 day'", illegal},
	{leased, leased, "last_error_code = 'timeout'", illegal},
	{leased, leased, "last_error_ref = 'ref'", illegal},
	{leased, recovered, toRecovered, unfounded},
	{leased, acknowledged, toAcknowledged, unfounded},
	{leased, quarantined, toQuarantined, unfounded},

	{recovered, pending, toPending, illegal},
	{recovered, leased, toClaimed, unfounded},
	{recovered, leased, toClaimedWithTheOldToken, illegal},
	{recovered, leased, toRenewed, illegal},
	{recovered, recovered, unchanged, illegal},
	{recovered, recovered, "available_at = available_at - interval '1 day'", illegal},
	{recovered, acknowledged, toAcknowledged, illegal},
	{recovered, quarantined, toQuarantined, illegal},

	{acknowledged, pending, toPending, illegal},
	{acknowledged, leased, toClaimed, illegal},
	{acknowledged, leased, toRenewed, illegal},
	{acknowledged, recovered, toRecovered, illegal},
	{acknowledged, acknowledged, unchanged, illegal},
	{acknowledged, acknowledged, "ack_receipt_ref = 'another'", illegal},
	{acknowledged, acknowledged, "delivered_at = now()", illegal},
	{acknowledged, quarantined, toQuarantined, illegal},

	{quarantined, pending, toPending, illegal},
	{quarantined, leased, toClaimed, illegal},
	{quarantined, leased, toRenewed, illegal},
	{quarantined, recovered, toRecovered, illegal},
	{quarantined, acknowledged, toAcknowledged, illegal},
	{quarantined, quarantined, unchanged, illegal},
	{quarantined, quarantined, "last_error_code = 'timeout'", illegal},
}

func TestEveryMoveByHandIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events := inEachState(t, w)
	for who, session := range lawbreakers(t, w) {
		for _, move := range moves {
			t.Run(who+" "+move.from+" to "+move.to, func(t *testing.T) {
				tap.ThrowsLike(t, session, "OX031", move.invariant, "delivery "+events[move.from]+"/core_operations",
					"update outbox.deliveries as d set "+move.set+" where event_id = $1::text::uuid", events[move.from])
			})
		}
	}
	w.assertHealthy(t)
}

func TestTableOfMovesNamesEveryPairOfStates(t *testing.T) {
	t.Parallel()
	states := []string{pending, leased, recovered, acknowledged, quarantined}
	for _, from := range states {
		for _, to := range states {
			found := false
			for _, move := range moves {
				found = found || move.from == from && move.to == to
			}
			tap.Ok(t, found, "a move from "+from+" to "+to)
		}
	}
}

// Facts of another kind than the move are no better than none.
func TestMoveWithTheFactsOfAnotherIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := inEachState(t, w)[leased]
	finish := func(outcome, disposition, code string) string {
		return `with f as (insert into outbox.delivery_attempt_finishes select current_attempt_id, now(), '` + outcome + `', '` + disposition + `', ` +
			code + ` from outbox.deliveries where event_id = $1::text::uuid) `
	}
	retried := finish("retryable", "retry", "'timeout'")
	accepted := finish("acknowledged", "none", "null")
	refused := finish("non_retryable", "quarantine", "'event_unprocessable'")
	lost := finish("lease_expired_unknown", "reclaim", "'lease_expired_unknown'")
	for _, session := range lawbreakers(t, w) {
		for _, c := range []struct{ facts, set string }{
			{accepted, toPending}, {refused, toPending}, {lost, toPending},
			{retried, toAcknowledged}, {refused, toAcknowledged}, {lost, toAcknowledged},
			{retried, toQuarantined}, {accepted, toQuarantined}, {refused, toQuarantined}, {lost, toQuarantined}, // no quarantine row
			{retried, toRecovered}, {accepted, toRecovered}, {refused, toRecovered},
			{retried, toRenewed}, {lost, toRenewed},
		} {
			tap.Throws(t, session, "OX031", "", c.facts+"update outbox.deliveries as d set "+c.set+" where event_id = $1::text::uuid", event)
		}
	}
	tap.Throws(t, w.As(t, "outbox_owner"), "OX031", "", finish("retryable", "retry", "'connection_reset'")+
		"update outbox.deliveries as d set "+toPending+" where event_id = $1::text::uuid", event)
	w.assertHealthy(t)
}

// A claim by hand needs a start of its own: of this delivery, with this token and worker.
func TestClaimWithAStartThatDiffersIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events := inEachState(t, w)
	const claim = `
		with s as (
			insert into outbox.delivery_attempt_starts (attempt_id, event_id, destination, lease_token, worker, started_at)
			values ('01890000-0000-7000-8000-0000000000aa', %, now())
		)
		update outbox.deliveries as d
		set status = 'leased', lease_owner = 'w', lease_token = 1000, lease_expires_at = now() + interval '1 min', current_attempt_id =
			'01890000-0000-7000-8000-0000000000aa', attempt_count = attempt_count + 1, last_attempt_at = now()
		where event_id = $1::text::uuid and destination = 'core_operations'`
	for _, session := range lawbreakers(t, w) {
		for name, values := range map[string]string{
			"another event":  "'" + events[leased] + "', 'core_operations', 1000, 'w'",
			"another token":  "$1::text::uuid, 'core_operations', 1001, 'w'",
			"another worker": "$1::text::uuid, 'core_operations', 1000, 'x'",
		} {
			t.Run(name, func(t *testing.T) {
				tap.Throws(t, session, "OX031", "", strings.Replace(claim, "%", values, 1), events[pending])
			})
		}
	}
}
