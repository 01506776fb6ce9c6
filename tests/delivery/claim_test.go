package delivery_test

import (
	"slices"
	"testing"
	"time"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

func eventsOf(claims []fixture.Claimed) []string {
	ids := make([]string, len(claims))
	for i, claim := range claims {
		ids[i] = claim.EventID
	}
	return ids
}

func TestClaimTakesDeliveriesInTheOrderOfTheirEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := fixture.AppendMany(t, w.producer, 3)
	second := fixture.AppendMany(t, w.producer, 3)
	tap.Ok(t, slices.Equal(eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), slices.Concat(first, second)), "order of append")
}

func TestClaimTakesARetriedDeliveryInItsNewTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	retried := w.claimed(t, fixture.Operations)
	fresh := fixture.AppendNew(t, w.producer)
	w.settle(t, []string{"retry_scheduled"}, fixture.Retry(retried, "timeout", 0))
	claims := fixture.Claim(t, w.dispatcher, fixture.Operations, 10)
	tap.Ok(t, slices.Equal(eventsOf(claims), []string{fresh, retried.EventID}), "available_at comes before created_at")
}

func TestClaimBreaksTiesByCreationThenEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fixture.AppendMany(t, w.producer, 4)
	owner := w.As(t, "outbox_owner")
	tap.Exec(t, owner, "alter table outbox.deliveries disable trigger user")
	tap.Exec(t, owner, "update outbox.deliveries set available_at = '2026-01-01Z'")
	tap.Exec(t, owner, `
		update outbox.deliveries set created_at = '2026-01-01Z'
		where event_id in (select event_id from outbox.deliveries order by created_at desc limit 2)`)
	want := tap.Column[string](t, w.admin, "select event_id::text from outbox.deliveries order by available_at, created_at, event_id")
	tap.Ok(t, slices.Equal(eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), want), "order by available_at, created_at, event_id")
}

func TestClaimTakesOneDestinationOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fixture.AppendNew(t, w.producer, fixture.Type(fixture.ResolutionApplied))
	tap.Is(t, len(fixture.Claim(t, w.dispatcher, fixture.Metering, 10)), 0, "of another destination")
	tap.Is(t, len(fixture.Claim(t, w.dispatcher, fixture.Coordinator, 10)), 1, "of its destination")
	tap.ResultsEq(t, w.admin, tap.Rows{{fixture.Coordinator, "leased"}, {fixture.Operations, "pending"}},
		"select destination, status from outbox.deliveries order by destination")
}

func TestClaimedRowIsTheFrozenMemberAndTheEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	envelope := fixture.Envelope(fixture.Full())
	fixture.Append(t, w.producer, envelope)
	claim := fixture.ClaimOne(t, w.dispatcher, fixture.Operations)
	tap.RowEq(t, w.admin, tap.Row{
		claim.EventID, claim.EventType, claim.EventSchemaVersion, claim.AggregateID, claim.OccurredAt, claim.CreatedAt, claim.EventEnvelope,
		claim.EventEnvelopeSha256, claim.EventEnvelopeDigestAlgorithmVersion, claim.DeliverySetVersion,
		claim.DeliverySetDefinitionSchemaVersion, claim.DeliverySetDefinitionDigestAlgorithmVersion, claim.DeliverySetDefinitionDigest,
	}, `select event_id::text, event_type, event_schema_version, aggregate_id, occurred_at, created_at, event_envelope,
			event_envelope_sha256, event_envelope_digest_algorithm_version, delivery_set_version,
			delivery_set_definition_schema_version, delivery_set_definition_digest_algorithm_version, delivery_set_definition_digest
		from outbox.events`)
	tap.RowEq(t, w.admin, tap.Row{
		claim.ConsumerName, claim.ExpectedReceiptType, claim.ExpectedReceiptSchemaVersion, *claim.RequiredProjectionName,
		*claim.RequiredProjectionVersion, claim.Generation, claim.DeliverySetVersion,
	}, `select consumer_name, expected_receipt_type, expected_receipt_schema_version, projection_name, projection_version, generation,
			delivery_set_version
		from outbox.read_frozen_member($1::text::uuid, $2)`, claim.EventID, claim.Destination)
}

func TestClaimWritesLeaseAndStartTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fixture.AppendNew(t, w.producer)
	tx := begin(t, w.dispatcher, "")
	fixture.ClaimOne(t, tx, fixture.Operations)
	rollback(t, tx)
	tap.IsEmpty(t, w.admin, "select from outbox.delivery_attempt_starts")
	tap.RowEq(t, w.admin, tap.Row{"pending", 0}, "select status, attempt_count from outbox.deliveries")

	claim := fixture.ClaimOne(t, w.dispatcher, fixture.Operations)
	tap.RowEq(t, w.admin, tap.Row{"leased", fixture.Worker, claim.LeaseToken, claim.AttemptID, 1, claim.LeaseExpiresAt},
		"select status, lease_owner, lease_token, current_attempt_id, attempt_count, lease_expires_at from outbox.deliveries")
	tap.RowEq(t, w.admin, tap.Row{claim.AttemptID, claim.EventID, fixture.Operations, 1, claim.LeaseToken, fixture.Worker, true}, `
		select s.attempt_id, s.event_id, s.destination, s.generation, s.lease_token, s.worker, s.started_at = d.last_attempt_at
		from outbox.delivery_attempt_starts as s join outbox.deliveries as d using (event_id, destination)`)
}

func TestClaimDeadlineIsTheDatabasesClockPlusTheLease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := tap.Value[time.Time](t, w.admin, "select clock_timestamp()")
	claim := w.claimed(t, fixture.Operations)
	tap.RowEq(t, w.admin, tap.Row{true, time.Minute}, `
		select last_attempt_at between $1 and clock_timestamp(), lease_expires_at - last_attempt_at
		from outbox.deliveries where current_attempt_id = $2::text::uuid`, before, claim.AttemptID)
}

func TestClaimDoesNotTakeWhatIsLeased(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	tap.Is(t, len(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), 0, "while the lease runs")
	w.expire(t, claim)
	tap.Is(t, len(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), 0, "after its deadline, until it is recovered")
}

func TestClaimDoesNotTakeWhatIsFinal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	acknowledged, quarantined := w.claimed(t, fixture.Operations), w.claimed(t, fixture.Operations)
	w.settle(t, []string{"complete", "quarantined"}, fixture.Acknowledge(acknowledged), fixture.Quarantine(quarantined, "event_unprocessable"))
	tap.Is(t, len(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), 0, "acknowledged and quarantined deliveries")
}

func TestClaimWaitsForAvailableAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	later, now := w.claimed(t, fixture.Operations), w.claimed(t, fixture.Operations)
	w.settle(t, []string{"retry_scheduled", "retry_scheduled"}, fixture.Retry(later, "timeout", 3_600_000), fixture.Retry(now, "timeout", 0))
	tap.Ok(t, slices.Equal(eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), []string{now.EventID}), "only the one that is due")
	tap.RowEq(t, w.admin, tap.Row{true}, `
		select available_at - clock_timestamp() between interval '59 min' and interval '60 min'
		from outbox.deliveries where event_id = $1::text::uuid`, later.EventID)
}

func TestTokensRiseWithEveryClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	for range 3 {
		w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claim, "timeout", 0))
		next := fixture.ClaimOne(t, w.dispatcher, fixture.Operations)
		tap.Ok(t, next.LeaseToken > claim.LeaseToken, "a higher token")
		tap.Isnt(t, next.AttemptID, claim.AttemptID, "attempt id")
		tap.Is(t, next.AttemptCount, claim.AttemptCount+1, "attempt_count")
		claim = next
	}
}

func TestPausedDestinationIsNotClaimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operator := w.As(t, "outbox_operator")
	fixture.AppendNew(t, w.producer, fixture.Type(fixture.ResolutionApplied))
	tap.Exec(t, operator, "select outbox.pause_destination($1, 'maintenance')", fixture.Operations)
	tap.Is(t, len(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), 0, "while paused")
	tap.Is(t, len(fixture.Claim(t, w.dispatcher, fixture.Coordinator, 10)), 1, "of another destination")
	tap.Exec(t, operator, "select outbox.resume_destination($1, 'done')", fixture.Operations)
	tap.Is(t, len(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), 1, "after resuming")
}

func TestPauseLeavesLeasedWorkToFinish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	tap.Exec(t, w.As(t, "outbox_operator"), "select outbox.pause_destination($1, 'maintenance')", fixture.Operations)
	tap.Is(t, renew(t, w.dispatcher, fixture.Fence(claim))[0], "renewed", "renewal while paused")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
}
