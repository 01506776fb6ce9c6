package delivery_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

func TestEventWithOneDestinationIsPublishedByItsAcknowledgement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, destination := range destinations {
		claim := w.claimed(t, destination)
		const published = "select count(*) from outbox.event_publications where event_id = $1::text::uuid"
		tap.RowEq(t, w.admin, tap.Row{0}, published, claim.EventID)
		w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
		tap.RowEq(t, w.admin, tap.Row{1}, published, claim.EventID)
	}
	w.assertHealthy(t)
}

func TestEventWithTwoDestinationsIsPublishedByTheLastAcknowledgement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 2)
	w.settle(t, []string{"not_complete"}, fixture.Acknowledge(operations[0]))
	w.settle(t, []string{"not_complete"}, fixture.Acknowledge(coordinator[1]))
	tap.IsEmpty(t, w.admin, "select from outbox.event_publications")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(coordinator[0]))
	w.settle(t, []string{"complete"}, fixture.Acknowledge(operations[1]))
	tap.RowEq(t, w.admin, tap.Row{2}, "select count(*) from outbox.event_publications")
	w.assertHealthy(t)
}

func TestOnlyTheLastItemOfAnEventSaysComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 3)
	w.settle(t, []string{"not_complete", "not_complete", "complete", "not_complete", "complete"},
		fixture.Acknowledge(operations[0]), fixture.Acknowledge(coordinator[1]),
		fixture.Acknowledge(coordinator[0]), fixture.Acknowledge(operations[2]), fixture.Acknowledge(operations[1]))
	tap.RowEq(t, w.admin, tap.Row{2}, "select count(*) from outbox.event_publications")
}

func TestStaleItemDoesNotSayComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 1)
	stale := coordinator[0]
	stale.LeaseToken += 1000
	w.settle(t, []string{"not_complete", "complete", "stale"},
		fixture.Acknowledge(operations[0]), fixture.Acknowledge(coordinator[0]), fixture.Acknowledge(stale))
}

func TestPublishedAtIsNotBeforeTheLastAcknowledgement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 20)
	for i := range operations {
		w.settle(t, []string{"not_complete"}, fixture.Acknowledge(operations[i]))
		w.settle(t, []string{"complete"}, fixture.Acknowledge(coordinator[i]))
	}
	tap.RowEq(t, w.admin, tap.Row{20, true}, `
		select count(*), bool_and(p.published_at >= d.last)
		from outbox.event_publications as p
		join (select event_id, max(delivered_at) as last from outbox.deliveries group by event_id) as d using (event_id)`)
}

// A clock that was set back must not publish an event before its last acknowledgement.
func TestPublishedAtFollowsAnAcknowledgementOfTheFuture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 1)
	w.settle(t, []string{"not_complete"}, fixture.Acknowledge(operations[0]))
	owner := w.As(t, "outbox_owner")
	for _, trigger := range []string{"delivery_moves_legally", "delivery_agrees_with_attempts"} {
		tap.Exec(t, owner, "alter table outbox.deliveries disable trigger "+trigger)
	}
	tap.Exec(t, owner, "update outbox.deliveries set delivered_at = '2100-01-01Z' where status = 'acknowledged'")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(coordinator[0]))
	tap.RowEq(t, w.admin, tap.Row{true}, "select published_at >= '2100-01-01Z' from outbox.event_publications")
}

func TestQuarantineOfOneDestinationLeavesTheEventUnpublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 2)
	w.settle(t, []string{"quarantined", "not_complete"},
		fixture.Quarantine(operations[0], "event_unprocessable"), fixture.Acknowledge(coordinator[0]))
	w.settle(t, []string{"not_complete"}, fixture.Acknowledge(operations[1]))
	w.settle(t, []string{"quarantined"}, fixture.Quarantine(coordinator[1], "event_unprocessable"))
	tap.IsEmpty(t, w.admin, "select from outbox.event_publications")
	tap.RowEq(t, w.admin, tap.Row{2}, "select count(*) from outbox.event_overview where published_at is null")
	w.assertHealthy(t)
}

func TestPublicationIsRolledBackWithTheAcknowledgement(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	tx := begin(t, w.dispatcher, "")
	tap.Is(t, fixture.Settle(t, tx, fixture.Acknowledge(claim))[0].Result, "complete", "settled")
	rollback(t, tx)
	tap.IsEmpty(t, w.admin, "select from outbox.event_publications")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
}

func TestWholeLifeWorksForLoginsOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	producer, dispatcher := w.Login(t, "outbox_producer"), w.Login(t, "outbox_dispatcher")
	tx := begin(t, producer, "")
	fixture.AppendNew(t, tx, fixture.Type(fixture.ResolutionApplied))
	commit(t, tx) // the deferred check runs as the producer
	tx = begin(t, dispatcher, "")
	operations, coordinator := fixture.ClaimOne(t, tx, fixture.Operations), fixture.ClaimOne(t, tx, fixture.Coordinator)
	commit(t, tx)
	tap.Is(t, renew(t, dispatcher, fixture.Fence(operations))[0], "renewed", "renewal")
	fixture.Settle(t, dispatcher, fixture.Retry(operations, "timeout", 0))
	tap.Exec(t, dispatcher, "select outbox.acknowledge_delivery($1::text::json)", fixture.Acknowledge(coordinator))
	tap.Exec(t, dispatcher, "select outbox.acknowledge_delivery($1::text::json)",
		fixture.Acknowledge(fixture.ClaimOne(t, dispatcher, fixture.Operations)))
	tap.Is(t, len(recoverExpired(t, dispatcher)), 0, "recovered")
	tap.RowEq(t, w.admin, tap.Row{1}, "select count(*) from outbox.event_publications")
	tap.Throws(t, dispatcher, "42501", "", "select outbox.publish_if_complete('{}')")
	w.assertHealthy(t)
}
