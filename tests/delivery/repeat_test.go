package delivery_test

import (
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// A lost response is asked again: the same outcome of the same attempt is answered with what it did the first time.

func TestRepeatedOutcomeIsAlreadySettled(t *testing.T) {
	t.Parallel()
	for _, outcome := range outcomes {
		t.Run(outcome.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			claim := w.claimed(t, fixture.Operations)
			w.settle(t, []string{outcome.result}, outcome.item(claim))
			for range 2 {
				again := w.settle(t, []string{"already_settled"}, outcome.item(claim))
				tap.Is(t, text(again[0].Detail), outcome.result, "the first result")
			}
			tap.RowEq(t, w.dispatcher, tap.Row{"already_settled", outcome.result},
				"select result, detail from outbox."+outcome.function+"($1::text::json)", outcome.item(claim))
			assertOneFinish(t, w, claim, outcome.name)
		})
	}
}

func TestRepeatedRetryIsAlreadySettledDuringALaterAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.claimed(t, fixture.Operations)
	w.settle(t, []string{"retry_scheduled"}, fixture.Retry(first, "timeout", 0))
	second := fixture.ClaimOne(t, w.dispatcher, fixture.Operations)
	again := w.settle(t, []string{"already_settled"}, fixture.Retry(first, "timeout", 0))
	tap.Is(t, text(again[0].Detail), "retry_scheduled", "the first result")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(second))
	w.settle(t, []string{"already_settled"}, fixture.Retry(first, "timeout", 0))
}

func TestRepeatedAcknowledgementTellsWhoCompletedTheEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 1)
	w.settle(t, []string{"not_complete"}, fixture.Acknowledge(operations[0]))
	tap.Is(t, text(w.settle(t, []string{"already_settled"}, fixture.Acknowledge(operations[0]))[0].Detail), "not_complete", "while the other is open")
	w.settle(t, []string{"complete"}, fixture.Acknowledge(coordinator[0]))
	again := w.settle(t, []string{"already_settled", "already_settled"}, fixture.Acknowledge(operations[0]), fixture.Acknowledge(coordinator[0]))
	tap.Is(t, text(again[0].Detail), "not_complete", "the one that came first")
	tap.Is(t, text(again[1].Detail), "complete", "the one that came last")
}

func TestRepeatedBatchTellsWhoCompletedTheEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 2)
	batch := []string{
		fixture.Acknowledge(operations[0]), fixture.Acknowledge(coordinator[0]),
		fixture.Acknowledge(coordinator[1]), fixture.Acknowledge(operations[1]),
	}
	first := w.settle(t, []string{"not_complete", "complete", "not_complete", "complete"}, batch...)
	again := w.settle(t, []string{"already_settled", "already_settled", "already_settled", "already_settled"}, batch...)
	for i := range again {
		tap.Is(t, text(again[i].Detail), first[i].Result, "first result")
	}
}

func TestRepeatedUnregisteredErrorCodeIsAlreadySettled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claim, "made_up", 0))
	w.settle(t, []string{"already_settled"}, fixture.Retry(claim, "made_up", 0))
}

func TestDifferentOutcomeOfASettledAttemptIsStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, settled := range outcomes {
		claim := w.claimed(t, fixture.CatchUp)
		w.settle(t, []string{settled.result}, settled.item(claim))
		for _, other := range outcomes {
			if other.name == settled.name {
				continue
			}
			w.settle(t, []string{"stale"}, other.item(claim))
			tap.Throws(t, w.dispatcher, "OX020", "attempt_is_current", "select outbox."+other.function+"($1::text::json)", other.item(claim))
		}
		if settled.name == contracts.Retryable {
			w.settle(t, []string{"complete"}, fixture.Acknowledge(fixture.ClaimOne(t, w.dispatcher, fixture.CatchUp)))
		}
	}
	w.assertHealthy(t)
}

func TestRetryUnderAnotherErrorCodeIsStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	w.settle(t, []string{"retry_scheduled"}, fixture.Retry(claim, "timeout", 0))
	w.settle(t, []string{"stale"}, fixture.Retry(claim, "connection_reset", 0))
	tap.RowEq(t, w.admin, tap.Row{"timeout"}, "select normalized_error_code from outbox.delivery_attempt_finishes")
}

func TestAcknowledgementThatDiffersAnywhereIsStale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	receipt := fixture.Receipt(claim)
	w.settle(t, []string{"complete"}, fixture.AcknowledgeWith(claim, receipt))
	prefix := contracts.ReceiptPrefix(claim.ExpectedReceiptType)
	changes := map[string]func(ack, applied fixture.Object){
		"reference":     func(_, applied fixture.Object) { applied[prefix+"Ref"] = "another" },
		"digest":        func(_, applied fixture.Object) { applied[prefix+"Digest"] = otherDigest },
		"version":       func(_, applied fixture.Object) { applied[prefix+"SchemaVersion"] = "2" },
		"algorithm":     func(_, applied fixture.Object) { applied[prefix+"DigestAlgorithmVersion"] = "jcs-sha256-v2" },
		"kind":          func(_, applied fixture.Object) { applied["kind"] = fixture.Metering },
		"consumer":      func(ack, _ fixture.Object) { ack["consumerName"] = "another" },
		"destination":   func(ack, _ fixture.Object) { ack["destination"] = fixture.Metering },
		"event":         func(ack, _ fixture.Object) { ack["eventId"] = fixture.NewID() },
		"event digest":  func(ack, _ fixture.Object) { ack["eventEnvelopeSha256"] = otherDigest },
		"left out":      func(ack, _ fixture.Object) { delete(ack, "consumerName") },
		"unknown":       func(ack, _ fixture.Object) { ack["more"] = true },
		"applied empty": func(ack, _ fixture.Object) { ack["appliedReceipt"] = fixture.Object{} },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			ack := fixture.Ack(claim, receipt)
			change(ack, ack["appliedReceipt"].(fixture.Object))
			w.settle(t, []string{"stale"}, fixture.Item(claim, contracts.Acknowledged, fixture.Object{"ack": ack, "receipt": receipt}))
		})
	}
	w.settle(t, []string{"already_settled"}, fixture.AcknowledgeWith(claim, receipt))
}

func TestRepeatInsideOneBatchIsAlreadySettled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Operations, 3)
	answers := w.settle(t,
		[]string{"complete", "already_settled", "stale", "retry_scheduled", "already_settled", "stale", "stale", "quarantined", "already_settled"},
		fixture.Acknowledge(claims[0]), fixture.Acknowledge(claims[0]), fixture.Retry(claims[0], "timeout", 0),
		fixture.Retry(claims[1], "timeout", 0), fixture.Retry(claims[1], "timeout", 9), fixture.Retry(claims[1], "connection_reset", 0),
		fixture.Acknowledge(claims[1]),
		fixture.Quarantine(claims[2], "event_unprocessable"), fixture.Quarantine(claims[2], "event_unprocessable"),
	)
	tap.Is(t, text(answers[1].Detail), "complete", "first result")
	tap.Is(t, text(answers[4].Detail), "retry_scheduled", "first result")
	tap.Is(t, text(answers[8].Detail), "quarantined", "first result")
	tap.RowEq(t, w.admin, tap.Row{3}, "select count(*) from outbox.delivery_attempt_finishes")
	w.assertHealthy(t)
}

func TestInvalidRepeatDoesNotTakeTheTurnOfTheValidOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	broken := fixture.Receipt(claim)
	broken["eventId"] = fixture.NewID()
	w.settle(t, []string{"invalid", "complete", "stale"},
		fixture.AcknowledgeWith(claim, broken), fixture.Acknowledge(claim), fixture.Retry(claim, "receipt_member_mismatch", 0))
}
