package delivery_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// An acknowledgement counts only when it and its receipt are what the delivery froze. What they say about themselves is
// never what is expected: every forgery below is sealed with the right digest, unless the digest is what is forged.

func TestForgedAcknowledgementDoesNotCount(t *testing.T) {
	t.Parallel()
	for _, destination := range destinations {
		t.Run(destination, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			claim := w.claimed(t, destination)
			prefix := contracts.ReceiptPrefix(claim.ExpectedReceiptType)
			other := fixture.Metering
			if destination == fixture.Metering {
				other = fixture.CatchUp
			}
			forgeries := slices.Concat(ackForgeries(), appliedForgeries(prefix, w.claimed(t, other)), receiptForgeries(), eventForgeries(destination))
			if destination == fixture.Operations {
				forgeries = append(forgeries, projectionForgeries()...)
			} else {
				forgeries = append(forgeries, consumerForgeries(destination)...)
			}
			for _, f := range forgeries {
				t.Run(f.name, func(t *testing.T) { f.assertRefused(t, w, claim) })
			}
			w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
		})
	}
}

// assertRefused settles a forgery, which must be answered with its detail and leave the lease as it is.
func (f forgery) assertRefused(t *testing.T, w *world, claim fixture.Claimed) {
	t.Helper()
	receipt := fixture.Receipt(claim)
	if f.receipt != nil {
		f.receipt(receipt)
		receipt = fixture.Seal(claim, receipt)
	}
	ack := fixture.Ack(claim, receipt)
	if f.ack != nil {
		f.ack(ack)
	}
	assertInvalid(t, w, claim, ack, receipt, strings.ReplaceAll(f.detail, "$", contracts.ReceiptPrefix(claim.ExpectedReceiptType)))
}

func assertInvalid(t *testing.T, w *world, claim fixture.Claimed, ack, receipt fixture.Object, detail string) {
	t.Helper()
	const state = "select d::text from outbox.deliveries as d where current_attempt_id = $1::text::uuid"
	before := tap.Value[string](t, w.admin, state, claim.AttemptID)
	answers := w.settle(t, []string{"invalid"}, fixture.Item(claim, contracts.Acknowledged, fixture.Object{"ack": ack, "receipt": receipt}))
	tap.Is(t, text(answers[0].Detail), detail, "detail")
	tap.Is(t, tap.Value[string](t, w.admin, state, claim.AttemptID), before, "the delivery and its lease")
	tap.IsEmpty(t, w.admin, "select from outbox.delivery_attempt_finishes where attempt_id = $1::text::uuid", claim.AttemptID)
}

func TestReceiptWithAWrongDigestDoesNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, destination := range destinations {
		t.Run(destination, func(t *testing.T) {
			claim := w.claimed(t, destination)
			prefix := contracts.ReceiptPrefix(claim.ExpectedReceiptType)
			receipt := changed(fixture.Receipt(claim), prefix+"Digest", otherDigest)
			assertInvalid(t, w, claim, fixture.Ack(claim, receipt), receipt, "receipt_digest_matches: /receipt/"+prefix+"Digest")
			w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
		})
	}
}

func TestReceiptChangedAfterItWasSealedDoesNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for destination, change := range map[string]func(receipt fixture.Object){
		fixture.Metering: func(receipt fixture.Object) { receipt["outcome"] = "already_observed" },
		fixture.Coordinator: func(receipt fixture.Object) {
			receipt["outcome"] = changed(receipt["outcome"].(fixture.Object), "finalizationFenceRevision", 99)
		},
		fixture.CatchUp: func(receipt fixture.Object) { receipt["chargeDimensionKey"] = "another" },
	} {
		t.Run(destination, func(t *testing.T) {
			claim := w.claimed(t, destination)
			prefix := contracts.ReceiptPrefix(claim.ExpectedReceiptType)
			receipt := fixture.Receipt(claim)
			change(receipt)
			assertInvalid(t, w, claim, fixture.Ack(claim, receipt), receipt, "receipt_digest_matches: /receipt/"+prefix+"Digest")
		})
	}
}

func TestReceiptDigestLeavesOutReferenceAndTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, destination := range destinations {
		claim := w.claimed(t, destination)
		receipt := fixture.Receipt(claim)
		receipt[contracts.ReceiptPrefix(claim.ExpectedReceiptType)+"Ref"] = "another reference"
		at := "committedAt"
		if destination == fixture.Operations {
			at = "appliedAt"
		}
		receipt[at] = "2027-01-01T00:00:00Z"
		w.settle(t, []string{"complete"}, fixture.AcknowledgeWith(claim, receipt))
	}
}

func TestAcknowledgementOfAnotherEventDoesNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, destination := range destinations {
		t.Run(destination, func(t *testing.T) {
			claims := w.claimedBatch(t, destination, 2)
			genuine := fixture.Receipt(claims[1])
			assertInvalid(t, w, claims[0], fixture.Ack(claims[1], genuine), genuine, "ack_matches_member: /ack/eventId")
			assertInvalid(t, w, claims[0], fixture.Ack(claims[0], genuine), genuine, "receipt_matches_member: /receipt/eventId")
		})
	}
}

func TestAcknowledgementOfTheOtherDestinationDoesNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 1)
	for _, pair := range [][2]fixture.Claimed{{operations[0], coordinator[0]}, {coordinator[0], operations[0]}} {
		genuine := fixture.Receipt(pair[1])
		assertInvalid(t, w, pair[0], fixture.Ack(pair[1], genuine), genuine, "ack_matches_member: /ack/destination")
	}
	w.settle(t, []string{"not_complete", "complete"}, fixture.Acknowledge(operations[0]), fixture.Acknowledge(coordinator[0]))
}

func TestAcknowledgementOfMixedBranchesDoesNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	operations, coordinator := w.claimedPairs(t, 1)
	claim, receipt := operations[0], fixture.Receipt(operations[0])
	own := fixture.Ack(claim, receipt)["appliedReceipt"].(fixture.Object)
	other := fixture.Ack(coordinator[0], fixture.Receipt(coordinator[0]))["appliedReceipt"].(fixture.Object)
	both := maps.Clone(other)
	maps.Copy(both, own)
	prefix := "/ack/appliedReceipt/" + contracts.ReceiptPrefix(coordinator[0].ExpectedReceiptType)
	for name, c := range map[string]struct {
		applied fixture.Object
		detail  string
	}{
		"members of both":              {both, prefix + "Digest member_is_known"},
		"own kind, members of another": {changed(other, "kind", own["kind"]), prefix + "Digest member_is_known"},
		"members, kind of another":     {changed(own, "kind", other["kind"]), prefix + "Digest member_is_present"},
		"all of another":               {other, "/ack/consumerName value_is_expected"},
	} {
		t.Run(name, func(t *testing.T) {
			assertInvalid(t, w, claim, changed(fixture.Ack(claim, receipt), "appliedReceipt", c.applied), receipt, "ack_shape: "+c.detail)
		})
	}
}

// A coordinator takes two event types, each with a source of its own.
func TestReceiptForTheSourceOfAnotherEventDoesNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Coordinator)
	other := claim
	other.EventType = fixture.ResolutionApplied.EventType
	receipt := fixture.Receipt(other)
	assertInvalid(t, w, claim, fixture.Ack(claim, receipt), receipt, "receipt_matches_member: /receipt/eventType")
}

func TestReceiptThatIsNestedTooDeeplyIsInvalidAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Metering, 2)
	for _, levels := range []int{130, 3000} {
		receipt := changed(fixture.Receipt(claims[0]), "outcome", nested(levels))
		answers := w.settle(t, []string{"invalid", "complete"}, fixture.AcknowledgeWith(claims[0], receipt), fixture.Acknowledge(claims[1]))
		tap.Ok(t, strings.HasSuffix(text(answers[0].Detail), "nesting_within_limit"), text(answers[0].Detail))
		claims[1] = w.claimed(t, fixture.Metering)
	}
}

// nested is an empty array inside that many arrays.
func nested(levels int) any {
	value := []any{}
	for range levels {
		value = []any{value}
	}
	return value
}

// withTenant is the receipt of a metering delivery for this tenant.
func withTenant(claim fixture.Claimed, tenant any) fixture.Object {
	receipt := fixture.Receipt(claim)
	receipt["source"] = changed(receipt["source"].(fixture.Object), "tenantId", tenant)
	return fixture.Seal(claim, receipt)
}

func TestIdentifierOfAReceiptMayBeAnyText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tenant := range []string{
		" ", "\U0001F600\uffff", "\ufb01é<>&", "line\u2028\u2029", "\"\\/", `\u0000`, strings.Repeat("\U0001F600", 256),
	} {
		claim := w.claimed(t, fixture.Metering)
		w.settle(t, []string{"complete"}, fixture.AcknowledgeWith(claim, withTenant(claim, tenant)))
	}
}

func TestIdentifierOfAReceiptIsHeldToItsForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Metering)
	for _, c := range []struct {
		tenant any
		detail string
	}{
		{"", "/source/tenantId text_length_within_bounds"}, {strings.Repeat("\U0001F600", 257), "/source/tenantId text_length_within_bounds"},
		{"a\u0085", "/source/tenantId text_matches_pattern"}, {1e21, "/source/tenantId type_is_right"}, {"e\u0301", " text_is_nfc"},
	} {
		receipt := withTenant(claim, c.tenant)
		assertInvalid(t, w, claim, fixture.Ack(claim, receipt), receipt, "receipt_shape: /receipt"+c.detail)
	}
	w.settle(t, []string{"complete"}, fixture.Acknowledge(claim))
}

func TestAcknowledgementIsFrozenAsGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, destination := range destinations {
		claim := w.claimed(t, destination)
		receipt := fixture.Receipt(claim)
		prefix := contracts.ReceiptPrefix(claim.ExpectedReceiptType)
		w.settle(t, []string{"complete"}, fixture.AcknowledgeWith(claim, receipt))
		tap.RowEq(t, w.admin, tap.Row{
			"acknowledged", claim.ConsumerName, claim.ExpectedReceiptType, receipt[prefix+"Ref"], "1", "jcs-sha256-v1",
			receipt[prefix+"Digest"], "jcs-sha256-v1", receipt["eventEnvelopeSha256"], nil, nil, nil, claim.AttemptID,
		}, `
			select status, ack_consumer_name, ack_receipt_type, ack_receipt_ref, ack_receipt_schema_version,
				ack_receipt_digest_algorithm_version, encode(ack_receipt_digest, 'hex'), ack_event_envelope_digest_algorithm_version,
				encode(ack_event_envelope_sha256, 'hex'), lease_owner, lease_token, lease_expires_at, current_attempt_id
			from outbox.deliveries where event_id = $1::text::uuid`, claim.EventID)
	}
}
