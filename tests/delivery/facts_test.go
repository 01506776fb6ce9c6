package delivery_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// Facts that no function wrote are refused: an INSERT by hand must agree with everything else, and never can.

// insiders are the sessions that may INSERT by hand. As a replica a superuser may copy facts in any order.
func insiders(t *testing.T, w *world) map[string]*pgx.Conn {
	t.Helper()
	sessions := map[string]*pgx.Conn{"outbox_owner": w.As(t, "outbox_owner")}
	if w.IsSuperuser(t) {
		sessions["superuser"] = w.admin
	}
	return sessions
}

func TestStartWithoutAClaimIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const insert = "insert into outbox.delivery_attempt_starts (attempt_id, event_id, destination, lease_token, worker, started_at) "
	for name, session := range insiders(t, w) {
		t.Run(name, func(t *testing.T) {
			for state, event := range inEachState(t, w) {
				t.Run(state, func(t *testing.T) {
					tap.Throws(t, session, "OX031", "attempt_start_is_current", insert+`
						select gen_random_uuid(), event_id, destination, coalesce(lease_token, 1), 'w', now()
						from outbox.deliveries where event_id = $1::text::uuid`, event)
				})
			}
			tap.Throws(t, session, "23503", "attempt_has_delivery",
				"set constraints all immediate; "+insert+"values (gen_random_uuid(), gen_random_uuid(), 'core_operations', 1, 'w', now())")
		})
	}
}

func TestFinishWithoutAMoveIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	for name, session := range insiders(t, w) {
		for _, values := range []string{
			"'acknowledged', 'none', null", "'retryable', 'retry', 'timeout'", "'retryable', 'quarantine', 'timeout'",
			"'non_retryable', 'quarantine', 'event_unprocessable'", "'lease_expired_unknown', 'reclaim', 'lease_expired_unknown'",
		} {
			t.Run(name+" "+values, func(t *testing.T) {
				tap.ThrowsLike(t, session, "OX031", "attempt_finish_ends_lease", "attempt "+claim.AttemptID,
					"insert into outbox.delivery_attempt_finishes values ($1::text::uuid, now(), "+values+")", claim.AttemptID)
			})
		}
	}
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
}

func TestFinishWithoutAStartIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, session := range insiders(t, w) {
		tap.Throws(t, session, "23503", "finish_has_start",
			"insert into outbox.delivery_attempt_finishes values (gen_random_uuid(), now(), 'acknowledged', 'none')")
	}
}

func TestSecondFinishOfAnAttemptIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claim, "timeout", 0))
	for _, session := range insiders(t, w) {
		tap.Throws(t, session, "23505", "attempt_finishes_once",
			"insert into outbox.delivery_attempt_finishes values ($1::text::uuid, now(), 'retryable', 'retry', 'timeout')", claim.AttemptID)
	}
}

func TestFinishMustMakeSense(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	owner := w.As(t, "outbox_owner")
	for _, c := range []struct{ constraint, values string }{
		{"outcome_has_disposition", "'delivered', 'none', 'timeout'"},
		{"outcome_has_disposition", "'acknowledged', 'retry', null"},
		{"outcome_has_disposition", "'retryable', 'none', 'timeout'"},
		{"outcome_has_disposition", "'retryable', 'reclaim', 'timeout'"},
		{"outcome_has_disposition", "'non_retryable', 'retry', 'timeout'"},
		{"outcome_has_disposition", "'lease_expired_unknown', 'retry', 'lease_expired_unknown'"},
		{"failure_has_error_code", "'acknowledged', 'none', 'timeout'"},
		{"failure_has_error_code", "'retryable', 'retry', null"},
		{"success_has_no_error_ref", "'acknowledged', 'none', null, 'ref'"},
	} {
		t.Run(c.values, func(t *testing.T) {
			tap.Throws(t, owner, "23514", c.constraint,
				"insert into outbox.delivery_attempt_finishes values ($1::text::uuid, now(), "+c.values+")", claim.AttemptID)
		})
	}
}

func TestFinishUnderAnUnregisteredErrorCodeIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	for _, session := range insiders(t, w) {
		tap.Throws(t, session, "OX031", "attempt_finish_ends_lease", `
			with f as (insert into outbox.delivery_attempt_finishes values ($1::text::uuid, now(), 'retryable', 'retry', 'made_up'))
			update outbox.deliveries set status = 'pending', lease_owner = null, lease_token = null, lease_expires_at = null,
				current_attempt_id = null, last_error_code = 'made_up'
			where current_attempt_id = $1::text::uuid`, claim.AttemptID)
	}
}

func TestPublicationOfAnIncompleteEventIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 3)
	w.settle(t, []string{"not_complete", "not_complete", "quarantined"}, fixture.Acknowledge(operations[1]),
		fixture.Acknowledge(operations[2]), fixture.Quarantine(coordinator[2], "event_unprocessable"))
	for name, session := range insiders(t, w) {
		for i, state := range []string{"none acknowledged", "one of two acknowledged", "one of two quarantined"} {
			t.Run(name+" "+state, func(t *testing.T) {
				tap.ThrowsLike(t, session, "OX031", "publication_is_complete", "event "+operations[i].EventID,
					"insert into outbox.event_publications values ($1::text::uuid, now())", operations[i].EventID)
			})
		}
		tap.Throws(t, session, "23503", "publication_has_event", "insert into outbox.event_publications values (gen_random_uuid(), now())")
	}
	tap.IsEmpty(t, w.admin, "select from outbox.event_publications")
}

func TestSecondPublicationIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
	for _, session := range insiders(t, w) {
		tap.Throws(t, session, "23505", "published_once", "insert into outbox.event_publications values ($1::text::uuid, now())", claim.EventID)
	}
}

func TestPublicationBeforeItsAcknowledgementIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	owner := begin(t, w.As(t, "outbox_owner"), "")
	tap.Exec(t, owner, "alter table outbox.deliveries disable trigger event_is_published_when_complete")
	tap.Is(t, fixture.Settle(t, owner, fixture.Acknowledge(claim))[0].Result, "not_complete", "without the trigger that publishes")
	tap.Throws(t, owner, "OX031", "publication_is_complete",
		"insert into outbox.event_publications select event_id, delivered_at - interval '1 s' from outbox.deliveries")
	tap.LivesOK(t, owner, "insert into outbox.event_publications select event_id, delivered_at from outbox.deliveries")
	rollback(t, owner)
}

func TestPublishingFunctionPublishesNothingIncomplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 2)
	w.settle(t, []string{"not_complete", "complete", "not_complete"},
		fixture.Acknowledge(operations[0]), fixture.Acknowledge(coordinator[0]), fixture.Acknowledge(operations[1]))
	tap.BagEq(t, w.As(t, "outbox_owner"), tap.Rows{
		{operations[0].EventID, "complete"}, {operations[1].EventID, "not_complete"}, {someID, "not_complete"},
	}, "select * from outbox.publish_if_complete($1::text[]::uuid[])", []string{operations[0].EventID, operations[1].EventID, someID})
	tap.RowEq(t, w.admin, tap.Row{1}, "select count(*) from outbox.event_publications")
}

// An acknowledgement whose stored digest is another event's stops everything that would publish it.
func TestAcknowledgementByHandForAnotherEnvelopeIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	for _, session := range insiders(t, w) {
		tap.ThrowsLike(t, session, "OX021", "ack_matches_event", "event "+claim.EventID, `
			with f as (insert into outbox.delivery_attempt_finishes values ($1::text::uuid, now(), 'acknowledged', 'none'))
			update outbox.deliveries as d set `+toAcknowledgedFor+`sha256('another')
			where current_attempt_id = $1::text::uuid`, claim.AttemptID)
	}
}

func TestQuarantineRowWithoutAQuarantinedDeliveryIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events := inEachState(t, w)
	const insert = `
		insert into outbox.quarantine (event_id, destination, reason, event_envelope_digest_algorithm_version, event_envelope_sha256, quarantined_at)
		select event_id, 'core_operations', 'by hand', event_envelope_digest_algorithm_version, event_envelope_sha256, now()
		from outbox.events where event_id = $1::text::uuid`
	for name, session := range insiders(t, w) {
		for _, state := range []string{pending, leased, recovered, acknowledged} {
			t.Run(name+" "+state, func(t *testing.T) {
				tap.ThrowsLike(t, session, "OX031", "quarantine_matches_delivery", "delivery "+events[state]+"/core_operations", insert, events[state])
			})
		}
		tap.Throws(t, session, "23505", "quarantined_once", insert, events[quarantined])
	}
}

func TestQuarantineOfAnotherGenerationIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inEachState(t, w)
	for _, session := range insiders(t, w) {
		tap.Throws(t, session, "23514", "quarantine_generation_is_first", `
			insert into outbox.quarantine
			select event_id, destination, 2, reason, event_envelope_digest_algorithm_version, event_envelope_sha256, quarantined_at
			from outbox.quarantine`)
	}
}
