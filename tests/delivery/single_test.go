package delivery_test

import (
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

func TestSingleFunctionAnswersLikeTheBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, outcome := range outcomes {
		claim := w.claimed(t, fixture.Metering)
		tap.RowEq(t, w.dispatcher, tap.Row{0, claim.EventID, claim.Destination, claim.AttemptID, outcome.result, nil},
			"select * from outbox."+outcome.function+"($1::text::json)", outcome.item(claim))
		if outcome.name == contracts.Retryable {
			w.settle(t, []string{"complete"}, fixture.Acknowledge(fixture.ClaimOne(t, w.dispatcher, fixture.Metering)))
		}
	}
}

func TestSingleFunctionTakesItsOwnKindOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	for _, function := range outcomes {
		for _, outcome := range outcomes {
			if outcome.name != function.name {
				tap.ThrowsLike(t, w.dispatcher, "OX022", "outcome_shape", "/outcome",
					"select outbox."+function.function+"($1::text::json)", outcome.item(claim))
			}
		}
	}
	tap.Is(t, w.statusOf(t, claim), "leased", "status")
}

func TestSingleFunctionRefusesABadItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range badItems() {
		t.Run(c.name, func(t *testing.T) {
			for _, outcome := range outcomes {
				tap.Throws(t, w.dispatcher, "OX022", "outcome_shape", "select outbox."+outcome.function+"($1::text::json)", c.item)
			}
		})
	}
	tap.Throws(t, w.dispatcher, "OX022", "outcome_shape", "select outbox.retry_delivery(null)")
}

func TestSingleAcknowledgementNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	receipt := fixture.Receipt(claim)
	ack := fixture.Ack(claim, receipt)
	forged := changed(receipt, "operationsProjectionAppliedReceiptDigest", otherDigest)
	for _, c := range []struct {
		invariant, path string
		ack, receipt    fixture.Object
	}{
		{"ack_shape", "/ack/appliedReceipt member_is_present", fixture.Object{}, receipt},
		{"ack_matches_member", "/ack/eventId", changed(ack, "eventId", someID), receipt},
		{"receipt_shape", "/receipt/appliedAt member_is_present", ack, fixture.Object{}},
		{"receipt_matches_member", "/receipt/eventId", ack, changed(receipt, "eventId", someID)},
		{"receipt_digest_matches", "/receipt/%Digest", fixture.Ack(claim, forged), forged},
	} {
		t.Run(c.invariant, func(t *testing.T) {
			tap.ThrowsLike(t, w.dispatcher, "OX021", c.invariant, c.path, "select outbox.acknowledge_delivery($1::text::json)",
				fixture.Item(claim, contracts.Acknowledged, fixture.Object{"ack": c.ack, "receipt": c.receipt}))
		})
	}
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
}
