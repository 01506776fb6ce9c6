package delivery_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// outcomes are the three kinds of outcome, each with the function that settles one of them alone.
var outcomes = []struct {
	name, function, result string
	item                   func(fixture.Claimed) string
}{
	{"acknowledged", "acknowledge_delivery", "complete", fixture.Acknowledge},
	{"retryable", "retry_delivery", "retry_scheduled", func(c fixture.Claimed) string { return fixture.Retry(c, "timeout", 0) }},
	{"non_retryable", "quarantine_delivery", "quarantined", func(c fixture.Claimed) string { return fixture.Quarantine(c, "event_unprocessable") }},
}

// intruders are fences that are not the current one of a delivery: the claim is current, old was recovered before.
func intruders(old, current fixture.Claimed) map[string]fixture.Claimed {
	with := func(change func(*fixture.Claimed)) fixture.Claimed {
		c := current
		change(&c)
		return c
	}
	return map[string]fixture.Claimed{
		"old attempt and token":       old,
		"old token":                   with(func(c *fixture.Claimed) { c.LeaseToken = old.LeaseToken }),
		"old attempt":                 with(func(c *fixture.Claimed) { c.AttemptID = old.AttemptID }),
		"token of the future":         with(func(c *fixture.Claimed) { c.LeaseToken++ }),
		"attempt that never was":      with(func(c *fixture.Claimed) { c.AttemptID = fixture.NewID() }),
		"destination of another":      with(func(c *fixture.Claimed) { c.Destination = fixture.Coordinator }),
		"destination unknown":         with(func(c *fixture.Claimed) { c.Destination = "nowhere" }),
		"event of another":            with(func(c *fixture.Claimed) { c.EventID = fixture.NewID() }),
		"token of the largest number": with(func(c *fixture.Claimed) { c.LeaseToken = 9223372036854775807 }),
	}
}

// contested returns the claims of a delivery that one dispatcher lost and another holds.
func contested(t *testing.T, w *world) (old, current fixture.Claimed) {
	t.Helper()
	old = w.claimed(t, fixture.Operations)
	return old, w.reclaim(t, old)
}

func TestOnlyTheCurrentFenceSettles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, current := contested(t, w)
	for name, intruder := range intruders(old, current) {
		for _, outcome := range outcomes {
			t.Run(name+" "+outcome.name, func(t *testing.T) {
				w.settle(t, []string{"stale"}, outcome.item(intruder))
			})
		}
	}
	w.settle(t, []string{"complete"}, fixture.Acknowledge(current))
}

func TestOnlyTheCurrentFenceSettlesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, current := contested(t, w)
	for name, intruder := range intruders(old, current) {
		for _, outcome := range outcomes {
			t.Run(name+" "+outcome.function, func(t *testing.T) {
				tap.ThrowsLike(t, w.dispatcher, "OX020", "attempt_is_current", "delivery "+intruder.EventID+"/"+intruder.Destination+": %",
					"select outbox."+outcome.function+"($1::text::json)", outcome.item(intruder))
			})
		}
	}
	tap.IsntEmpty(t, w.dispatcher, "select outbox.acknowledge_delivery($1::text::json)", fixture.Acknowledge(current))
}

func TestOnlyTheCurrentFenceRenews(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, current := contested(t, w)
	const deadline = "select lease_expires_at from outbox.deliveries"
	before := tap.Value[string](t, w.admin, "select lease_expires_at::text from outbox.deliveries")
	for name, intruder := range intruders(old, current) {
		t.Run(name, func(t *testing.T) {
			tap.Is(t, renew(t, w.dispatcher, fixture.Fence(intruder))[0], "stale", "renewal")
			tap.Is(t, tap.Value[string](t, w.admin, "select lease_expires_at::text from ("+deadline+") as d"), before, "deadline")
		})
	}
	tap.Is(t, renew(t, w.dispatcher, fixture.Fence(current))[0], "renewed", "renewal by the holder")
}

func TestStaleOutcomeChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old, current := contested(t, w)
	const state = `
		select md5(string_agg(d::text, '' order by d.event_id)) || (select count(*) from outbox.delivery_attempt_finishes)::text
		from outbox.deliveries as d`
	before := tap.Value[string](t, w.admin, state)
	for _, outcome := range outcomes {
		w.settle(t, []string{"stale"}, outcome.item(old))
	}
	tap.Is(t, tap.Value[string](t, w.admin, state), before, "deliveries and finishes")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(current))
}

func TestFinishAfterTheDeadlineCountsUntilRecovery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, outcome := range outcomes {
		claim := w.claimed(t, fixture.CatchUp)
		w.expire(t, claim)
		w.settle(t, []string{outcome.result}, outcome.item(claim))
		if outcome.name == "retryable" {
			w.settle(t, []string{"complete"}, fixture.Acknowledge(fixture.ClaimOne(t, w.dispatcher, fixture.CatchUp)))
		}
	}
	tap.Is(t, len(recoverExpired(t, w.dispatcher)), 0, "recovered")
	w.assertHealthy(t)
}

func TestRenewalAfterTheDeadlineCountsUntilRecovery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.expire(t, claim)
	tap.Is(t, renew(t, w.dispatcher, fixture.Fence(claim))[0], "renewed", "renewal")
	tap.Is(t, len(recoverExpired(t, w.dispatcher)), 0, "recovered")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
}

func TestSettleAfterRecoveryIsStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, outcome := range outcomes {
		claim := w.claimed(t, fixture.CatchUp)
		w.recovered(t, claim)
		answers := w.settle(t, []string{"stale"}, outcome.item(claim))
		tap.Is(t, text(answers[0].Detail), "finished as lease_expired_unknown", "detail")
		tap.Is(t, w.statusOf(t, claim), "leased", "status")
		w.settle(t, []string{"complete"}, fixture.Acknowledge(fixture.ClaimOne(t, w.dispatcher, fixture.CatchUp)))
	}
	w.assertHealthy(t)
}

func TestRenewalAfterRecoveryIsStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.recovered(t, claim)
	tap.Is(t, renew(t, w.dispatcher, fixture.Fence(claim))[0], "stale", "renewal")
	tap.RowEq(t, w.admin, tap.Row{true}, "select lease_expires_at is null from outbox.deliveries")
}

func TestRenewalOfWhatIsFinalIsStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, outcome := range outcomes {
		claim := w.claimed(t, fixture.CatchUp)
		w.settle(t, []string{outcome.result}, outcome.item(claim))
		tap.Is(t, renew(t, w.dispatcher, fixture.Fence(claim))[0], "stale", "renewal after "+outcome.name)
	}
}
