package delivery_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// Recovery and a late outcome of the same attempt: exactly one wins, and nobody gets an error.

func TestLateSettleWaitsForARecoveryAndIsStale(t *testing.T) {
	t.Parallel()
	for _, outcome := range outcomes {
		t.Run(outcome.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			claim := w.claimed(t, fixture.Operations)
			w.expire(t, claim)
			recovery := begin(t, w.another(t), "")
			tap.Is(t, recoverExpired(t, recovery)[0], claim.AttemptID, "recovered attempt")
			late := start(t, w.dispatcher, settleSQL, fixture.Array(outcome.item(claim)))
			w.AwaitBlocked(t, w.dispatcher, recovery.Conn())
			commit(t, recovery)
			late.answer(t, "stale")
			assertOneFinish(t, w, claim, "lease_expired_unknown")
		})
	}
}

func TestLateSettleWinsWhenTheRecoveryIsRolledBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.expire(t, claim)
	recovery := begin(t, w.another(t), "")
	tap.Is(t, len(recoverExpired(t, recovery)), 1, "recovered leases")
	late := start(t, w.dispatcher, settleSQL, fixture.Array(fixture.Acknowledge(claim)))
	w.AwaitBlocked(t, w.dispatcher, recovery.Conn())
	rollback(t, recovery)
	late.answer(t, "complete")
	assertOneFinish(t, w, claim, "acknowledged")
}

func TestRecoveryLeavesALeaseThatIsBeingSettled(t *testing.T) {
	t.Parallel()
	for _, outcome := range outcomes {
		t.Run(outcome.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			claim := w.claimed(t, fixture.Operations)
			w.expire(t, claim)
			late := begin(t, w.another(t), "")
			tap.Is(t, fixture.Settle(t, late, outcome.item(claim))[0].Result, outcome.result, "settled")
			tap.Exec(t, w.dispatcher, "set lock_timeout = '100 ms'")
			tap.Is(t, len(recoverExpired(t, w.dispatcher)), 0, "recovered while it is being settled")
			commit(t, late)
			tap.Is(t, len(recoverExpired(t, w.dispatcher)), 0, "recovered afterwards")
			assertOneFinish(t, w, claim, outcome.name)
		})
	}
}

func TestLateRenewalWaitsForARecoveryAndIsStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.expire(t, claim)
	recovery := begin(t, w.another(t), "")
	tap.Is(t, len(recoverExpired(t, recovery)), 1, "recovered leases")
	late := start(t, w.dispatcher, renewSQL, fixture.Array(fixture.Fence(claim)))
	w.AwaitBlocked(t, w.dispatcher, recovery.Conn())
	commit(t, recovery)
	late.answer(t, "stale")
	assertOneFinish(t, w, claim, "lease_expired_unknown")
}

func TestRecoveryLeavesALeaseThatIsBeingRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.expire(t, claim)
	late := begin(t, w.another(t), "")
	tap.Is(t, renew(t, late, fixture.Fence(claim))[0], "renewed", "renewal")
	tap.Exec(t, w.dispatcher, "set lock_timeout = '100 ms'")
	tap.Is(t, len(recoverExpired(t, w.dispatcher)), 0, "recovered while it is being renewed")
	commit(t, late)
	tap.Is(t, len(recoverExpired(t, w.dispatcher)), 0, "recovered afterwards")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
}

func TestTwoRecoveriesTakeAnAttemptOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Operations, 2)
	w.expire(t, claims...)
	one := begin(t, w.another(t), "")
	tap.Is(t, len(tap.Column[string](t, one, "select attempt_id::text from outbox.recover_expired_leases(1)")), 1, "the first takes one")
	tap.Exec(t, w.dispatcher, "set lock_timeout = '100 ms'")
	tap.Is(t, len(recoverExpired(t, w.dispatcher)), 1, "the second takes the other one, and does not wait")
	commit(t, one)
	tap.RowEq(t, w.admin, tap.Row{2, 2}, "select count(*), count(distinct attempt_id) from outbox.delivery_attempt_finishes")
}

func TestTwoSettlesOfOneAttemptGiveOneFinish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	first := begin(t, w.another(t), "")
	tap.Is(t, fixture.Settle(t, first, fixture.Acknowledge(claim))[0].Result, "complete", "first")
	same := start(t, w.dispatcher, settleSQL, fixture.Array(fixture.Acknowledge(claim), fixture.Retry(claim, "timeout", 0)))
	w.AwaitBlocked(t, w.dispatcher, first.Conn())
	commit(t, first)
	same.answer(t, "already_settled", "stale")
	assertOneFinish(t, w, claim, "acknowledged")
}

func TestSettleWaitsForARenewalAndCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	renewal := begin(t, w.another(t), "")
	tap.Is(t, renew(t, renewal, fixture.Fence(claim))[0], "renewed", "renewal")
	settle := start(t, w.dispatcher, settleSQL, fixture.Array(fixture.Acknowledge(claim)))
	w.AwaitBlocked(t, w.dispatcher, renewal.Conn())
	commit(t, renewal)
	settle.answer(t, "complete")
}

func TestRenewalWaitsForASettleAndIsStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	settle := begin(t, w.another(t), "")
	tap.Is(t, fixture.Settle(t, settle, fixture.Retry(claim, "timeout", 0))[0].Result, "retry_scheduled", "settled")
	renewal := start(t, w.dispatcher, renewSQL, fixture.Array(fixture.Fence(claim)))
	w.AwaitBlocked(t, w.dispatcher, settle.Conn())
	commit(t, settle)
	renewal.answer(t, "stale")
}

// assertOneFinish asserts how an attempt ended, and that it ended once.
func assertOneFinish(t *testing.T, w *world, claim fixture.Claimed, outcome string) {
	t.Helper()
	tap.ResultsEq(t, w.admin, tap.Rows{{claim.AttemptID, outcome}}, "select attempt_id, outcome from outbox.delivery_attempt_finishes")
	w.assertHealthy(t)
}
