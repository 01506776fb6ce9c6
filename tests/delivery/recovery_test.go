package delivery_test

import (
	"slices"
	"testing"
	"time"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestRecoveryTakesExpiredLeasesOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Operations, 4)
	fixture.AppendNew(t, w.producer) // pending: nobody owns it, and that is no reason
	w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claims[3], "timeout", 0))
	w.expire(t, claims[0], claims[2])
	taken := recoverExpired(t, w.dispatcher)
	slices.Sort(taken)
	want := []string{claims[0].AttemptID, claims[2].AttemptID}
	slices.Sort(want)
	tap.Ok(t, slices.Equal(taken, want), "the expired attempts")
	tap.Is(t, len(recoverExpired(t, w.dispatcher)), 0, "a recovered lease is not recovered again")
	w.assertHealthy(t)
}

// The deadline passes on the database's own clock here; nothing is set by hand.
func TestRecoveryFollowsTheDatabasesClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := w.claimed(t, fixture.Operations)
	short := fixture.AppendNew(t, w.producer)
	tap.Exec(t, w.dispatcher, "select outbox.claim_deliveries('core_operations', 'w', 1, '1 s')")
	testdb.Await(t, "the deadline of the short lease", func() bool {
		return tap.Value[bool](t, w.admin, "select lease_expires_at <= clock_timestamp() from outbox.deliveries where event_id = $1::text::uuid", short)
	})
	tap.ResultsEq(t, w.dispatcher, tap.Rows{{short}}, "select event_id from outbox.recover_expired_leases(10)")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(long))
}

func TestRecoveryClosesTheAttemptAndKeepsItsFence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.expire(t, claim)
	tap.RowEq(t, w.dispatcher, tap.Row{claim.EventID, fixture.Operations, 1, claim.AttemptID, claim.LeaseToken, fixture.Worker, 1, true}, `
		select event_id, destination, generation, attempt_id, lease_token, lease_owner, attempt_count, lease_expired_at < clock_timestamp()
		from outbox.recover_expired_leases(10)`)
	tap.RowEq(t, w.admin, tap.Row{claim.AttemptID, "lease_expired_unknown", "reclaim", "lease_expired_unknown", nil},
		"select attempt_id, outcome, retry_disposition, normalized_error_code, sanitized_error_ref from outbox.delivery_attempt_finishes")
	tap.RowEq(t, w.admin, tap.Row{"leased", nil, nil, claim.AttemptID, claim.LeaseToken, 1, "lease_expired_unknown"}, `
		select status, lease_owner, lease_expires_at, current_attempt_id, lease_token, attempt_count, last_error_code from outbox.deliveries`)
}

func TestReclaimGetsAHigherTokenAndCountsOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	for range 3 {
		next := w.reclaim(t, claim)
		tap.Ok(t, next.LeaseToken > claim.LeaseToken, "a higher token")
		tap.Isnt(t, next.AttemptID, claim.AttemptID, "attempt id")
		tap.Is(t, next.AttemptCount, claim.AttemptCount+1, "attempt_count")
		claim = next
	}
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
	tap.RowEq(t, w.admin, tap.Row{4, 4, 4}, `
		select count(*), count(distinct s.attempt_id), count(distinct s.lease_token)
		from outbox.delivery_attempt_starts as s join outbox.delivery_attempt_finishes as f using (attempt_id)`)
	w.assertHealthy(t)
}

func TestRecoveryTakesAtMostItsLimitOldestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Operations, 3)
	for _, claim := range claims {
		w.expire(t, claim) // each later than the one before
	}
	for _, claim := range claims {
		tap.ResultsEq(t, w.dispatcher, tap.Rows{{claim.AttemptID}}, "select attempt_id from outbox.recover_expired_leases(1)")
	}
}

func TestRecoveryDelaysTheNextClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now, later := w.claimed(t, fixture.Operations), w.claimed(t, fixture.Operations)
	w.expire(t, now)
	tap.Is(t, len(recoverExpired(t, w.dispatcher)), 1, "recovered at once")
	w.expire(t, later)
	tap.Exec(t, w.dispatcher, "select outbox.recover_expired_leases(1, '10 min')")
	tap.RowEq(t, w.admin, tap.Row{10 * time.Minute}, `
		select d.available_at - f.finished_at from outbox.deliveries as d join outbox.delivery_attempt_finishes as f on f.attempt_id = d.current_attempt_id
		where d.current_attempt_id = $1::text::uuid`, later.AttemptID)
	tap.Ok(t, slices.Equal(eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), []string{now.EventID}), "claimable now")
}

func TestRecoveryAsksForNoNameOfAWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fixture.AppendMany(t, w.producer, 2)
	for _, worker := range []string{"host-that-was-renamed:1", "  ' odd \" näme\t"} {
		tap.Exec(t, w.dispatcher, "select outbox.claim_deliveries('core_operations', $1, 1, '60 s')", worker)
	}
	tap.Exec(t, w.As(t, "outbox_operator"), "select outbox.pause_destination('core_operations', 'nor for a destination that runs')")
	owner := w.As(t, "outbox_owner")
	tap.Exec(t, owner, "alter table outbox.deliveries disable trigger user")
	tap.Exec(t, owner, "update outbox.deliveries set lease_expires_at = now() - interval '91 days'")
	tap.Is(t, len(recoverExpired(t, w.another(t))), 2, "recovered")
}

func TestRenewedLeaseIsNotRecovered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Operations, 2)
	w.expire(t, claims...)
	tap.Is(t, renew(t, w.dispatcher, fixture.Fence(claims[0]))[0], "renewed", "renewal")
	tap.ResultsEq(t, w.dispatcher, tap.Rows{{claims[1].AttemptID}}, "select attempt_id from outbox.recover_expired_leases(10)")
}

func TestRecoverySkipsRowsThatAreHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Operations, 2)
	w.expire(t, claims...)
	holder := begin(t, w.admin, "")
	tap.Exec(t, holder, "select from outbox.deliveries where event_id = $1::text::uuid for update", claims[0].EventID)
	tap.Exec(t, w.dispatcher, "set lock_timeout = '100 ms'")
	tap.ResultsEq(t, w.dispatcher, tap.Rows{{claims[1].AttemptID}}, "select attempt_id from outbox.recover_expired_leases(10)")
	rollback(t, holder)
	tap.ResultsEq(t, w.dispatcher, tap.Rows{{claims[0].AttemptID}}, "select attempt_id from outbox.recover_expired_leases(10)")
}

func TestRecoveryRefusesArgumentsOutOfBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for arguments, path := range map[string]string{
		"0": "p_limit", "1001": "p_limit", "null": "p_limit", "1, '-1 ms'": "p_delay", "1, '1 day 1 ms'": "p_delay", "1, null": "p_delay",
		"1, '1000000 months -30000000 days 1 min'": "p_delay",
	} {
		tap.ThrowsLike(t, w.dispatcher, "OX023", "recovery_is_bounded", path, "select outbox.recover_expired_leases("+arguments+")")
	}
	for _, arguments := range []string{"1", "1000", "1, '0'", "1, '24 hours'"} {
		tap.LivesOK(t, w.dispatcher, "select outbox.recover_expired_leases("+arguments+")")
	}
}

func TestLeasesThatNobodyRecoversAreShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	reader := w.As(t, "outbox_reader")
	w.expire(t, claim)
	tap.IsEmpty(t, reader, "select from outbox.stuck_leases")
	owner := w.As(t, "outbox_owner")
	tap.Exec(t, owner, "alter table outbox.deliveries disable trigger user")
	tap.Exec(t, owner, "update outbox.deliveries set lease_expires_at = now() - interval '6 min'")
	tap.RowEq(t, reader, tap.Row{claim.EventID, claim.AttemptID}, "select event_id, current_attempt_id from outbox.stuck_leases")
}
