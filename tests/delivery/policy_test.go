package delivery_test

import (
	"testing"
	"time"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// allow sets the exhaustion policy.
func (w *world) allow(t *testing.T, settings string) {
	t.Helper()
	tap.Exec(t, w.As(t, "outbox_governor"), "select outbox.change_settings($1::text::json, 'test')", settings)
}

func TestRetriesNeverEndByThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	for range 20 {
		w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claim, "timeout", 0))
		claim = fixture.ClaimOne(t, w.dispatcher, fixture.Operations)
	}
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
}

func TestExhaustionPolicyQuarantinesTheLastRetry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.allow(t, `{"max_attempts": 3}`)
	claim := w.claimed(t, fixture.Operations)
	for range 2 {
		w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claim, "timeout", 0))
		claim = fixture.ClaimOne(t, w.dispatcher, fixture.Operations)
	}
	w.settle(t, []string{"quarantined"}, fixture.Retry(claim, "timeout", 0))
	tap.RowEq(t, w.admin, tap.Row{"retryable", "quarantine", "timeout"},
		"select outcome, retry_disposition, normalized_error_code from outbox.delivery_attempt_finishes where attempt_id = $1::text::uuid", claim.AttemptID)
	tap.RowEq(t, w.admin, tap.Row{"attempts_exhausted", claim.EventEnvelopeSha256}, "select reason, event_envelope_sha256 from outbox.quarantine")
	tap.RowEq(t, w.admin, tap.Row{"quarantined", "timeout", 3}, "select status, last_error_code, attempt_count from outbox.deliveries")
	again := w.settle(t, []string{"already_settled"}, fixture.Retry(claim, "timeout", 0))
	tap.Is(t, text(again[0].Detail), "quarantined", "first result")
	w.assertHealthy(t)
}

func TestExhaustionPolicyLetsTheLastAttemptSucceed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.allow(t, `{"max_attempts": 1}`)
	w.settle(t, []string{"complete"}, fixture.Acknowledge(w.claimed(t, fixture.Operations)))
}

func TestExhaustionPolicyDoesNotCountWhatWasReleasedUnsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.allow(t, `{"max_attempts": 2}`)
	claim := w.claimed(t, fixture.Operations)
	for range 4 {
		w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claim, "released_unsent", 0))
		claim = fixture.ClaimOne(t, w.dispatcher, fixture.Operations)
	}
	w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claim, "timeout", 0))
	claim = fixture.ClaimOne(t, w.dispatcher, fixture.Operations)
	w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claim, "released_unsent", 0))
	w.settle(t, []string{"quarantined"}, fixture.Retry(fixture.ClaimOne(t, w.dispatcher, fixture.Operations), "timeout", 0))
}

func TestExhaustionPolicyCountsLostLeases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.allow(t, `{"max_attempts": 2}`)
	claim := w.reclaim(t, w.claimed(t, fixture.Operations))
	w.settle(t, []string{"quarantined"}, fixture.Retry(claim, "timeout", 0))
	w.assertHealthy(t)
}

func TestExhaustionPolicyCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.allow(t, `{"max_attempts": 1}`)
	w.allow(t, `{"max_attempts": null}`)
	w.settle(t, []string{"retry_scheduled"}, fixture.Retry(w.claimed(t, fixture.Operations), "timeout", 0))
}

func TestUnregisteredErrorCodeIsStoredUnderOneName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	retried, refused := w.claimed(t, fixture.Metering), w.claimed(t, fixture.CatchUp)
	w.settle(t, []string{"retry_scheduled", "quarantined"}, fixture.Retry(retried, "made_up", 0), fixture.Quarantine(refused, "Also Made Up"))
	tap.ResultsEq(t, w.admin, tap.Rows{{"unregistered_error_code"}, {"unregistered_error_code"}},
		"select normalized_error_code from outbox.delivery_attempt_finishes")
	tap.ResultsEq(t, w.admin, tap.Rows{{"unregistered_error_code"}, {"unregistered_error_code"}}, "select last_error_code from outbox.deliveries")
}

func TestRetryKeepsItsErrorAndReference(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.settle(t, []string{"retry_scheduled"}, fixture.Item(claim, contracts.Retryable,
		fixture.Object{"errorCode": "consumer_capacity", "errorRef": "log 17/4", "delayMs": 90_000}))
	tap.RowEq(t, w.admin, tap.Row{"pending", "consumer_capacity", "log 17/4", nil, nil, nil, nil, 90 * time.Second, 1}, `
		select d.status, d.last_error_code, d.last_error_ref, d.lease_owner, d.lease_token, d.lease_expires_at, d.current_attempt_id,
			d.available_at - f.finished_at, d.attempt_count
		from outbox.deliveries as d, outbox.delivery_attempt_finishes as f`)
	tap.RowEq(t, w.admin, tap.Row{"retryable", "retry", "consumer_capacity", "log 17/4"},
		"select outcome, retry_disposition, normalized_error_code, sanitized_error_ref from outbox.delivery_attempt_finishes")
}

func TestQuarantineKeepsReasonDigestAndAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.settle(t, []string{"quarantined"}, fixture.Item(claim, contracts.NonRetryable,
		fixture.Object{"errorCode": "identity_conflict", "errorRef": "log 17/4", "reason": "refused by the consumer"}))
	tap.RowEq(t, w.admin, tap.Row{claim.EventID, claim.Destination, 1, "refused by the consumer", "jcs-sha256-v1", claim.EventEnvelopeSha256},
		"select event_id, destination, generation, reason, event_envelope_digest_algorithm_version, event_envelope_sha256 from outbox.quarantine")
	tap.RowEq(t, w.admin, tap.Row{"quarantined", "identity_conflict", "log 17/4", claim.AttemptID, nil, nil},
		"select status, last_error_code, last_error_ref, current_attempt_id, lease_token, delivered_at from outbox.deliveries")
}

func TestNotesOnAQuarantineChangeNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operator := w.As(t, "outbox_operator")
	claim := w.claimed(t, fixture.Operations)
	const note = "select outbox.note_quarantine($1::text::uuid, 'core_operations', $2, $3)"
	tap.Throws(t, operator, "OX023", "quarantine_exists", note, claim.EventID, "case-1", "seen")
	w.settle(t, []string{"quarantined"}, fixture.Quarantine(claim, "event_unprocessable"))
	before := tap.Value[string](t, w.admin, "select d::text || q::text from outbox.deliveries as d, outbox.quarantine as q")
	tap.Exec(t, operator, note, claim.EventID, "case-1", "seen")
	tap.Exec(t, operator, note, claim.EventID, "case-1", nil)
	tap.Throws(t, operator, "OX023", "note_says_something", note, claim.EventID, "", nil)
	tap.RowEq(t, w.admin, tap.Row{before}, "select d::text || q::text from outbox.deliveries as d, outbox.quarantine as q")
	tap.RowEq(t, w.admin, tap.Row{2}, "select count(*) from outbox.quarantine_notes")
}
