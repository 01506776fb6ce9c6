package delivery_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// An acknowledgement counts only when it and its receipt are what the delivery froze. What they say about themselves is
// never what is expected: every forgery below is sealed with the right digest, unless the digest is what is forged.

const otherDigest = "00000000000000000000000000000000000000000000000000000000000000ff"

// destinations are those of the first release, one for each receipt type.
var destinations = []string{fixture.Operations, fixture.Metering, fixture.Coordinator, fixture.CatchUp}

// forgery is an acknowledgement or a receipt that must not count.
type forgery struct {
	name   string
	detail string // of the answer; $ stands for the prefix of the receipt type
	ack    func(ack fixture.Object)
	// receipt changes the receipt before it is sealed and acknowledged.
	receipt func(receipt fixture.Object)
}

// changed is a copy of an object with one member set, or left out when the value is nil.
func changed(object fixture.Object, member string, value any) fixture.Object {
	result := maps.Clone(object)
	if value == nil {
		delete(result, member)
	} else {
		result[member] = value
	}
	return result
}

func ackMember(member string, value any, detail string) forgery {
	return forgery{name: "ack " + member, detail: detail, ack: func(ack fixture.Object) { maps.Copy(ack, fixture.Object{member: value}) }}
}

func receiptMember(member string, value any, detail string) forgery {
	return forgery{name: "receipt " + member, detail: detail, receipt: func(receipt fixture.Object) { receipt[member] = value }}
}

func ackForgeries() []forgery {
	list := []forgery{
		ackMember("destination", "nowhere", "ack_matches_member: /ack/destination"),
		ackMember("destination", nil, "ack_matches_member: /ack/destination"),
		ackMember("consumerName", "another_consumer", "ack_matches_member: /ack/consumerName"),
		ackMember("consumerName", 1, "ack_matches_member: /ack/consumerName"),
		ackMember("eventId", someID, "ack_matches_member: /ack/eventId"),
		ackMember("eventEnvelopeSha256", otherDigest, "ack_matches_member: /ack/eventEnvelopeSha256"),
		ackMember("eventEnvelopeDigestAlgorithmVersion", "jcs-sha256-v2", "ack_matches_member: /ack/eventEnvelopeDigestAlgorithmVersion"),
		ackMember("more", 1, "ack_shape: /ack/unknown member"),
		ackMember("appliedReceipt", nil, "ack_shape: /ack/appliedReceipt"),
		ackMember("appliedReceipt", "x", "ack_shape: /ack/appliedReceipt"),
		ackMember("appliedReceipt", fixture.Object{}, "ack_shape: /ack/appliedReceipt/$Ref"),
		{name: "ack digest in capitals", detail: "ack_matches_member: /ack/eventEnvelopeSha256", ack: func(ack fixture.Object) {
			ack["eventEnvelopeSha256"] = strings.ToUpper(ack["eventEnvelopeSha256"].(string))
		}},
	}
	for _, member := range []string{"destination", "consumerName", "eventId", "eventEnvelopeSha256", "eventEnvelopeDigestAlgorithmVersion"} {
		list = append(list, forgery{
			name: "ack without " + member, detail: "ack_matches_member: /ack/" + member,
			ack: func(ack fixture.Object) { delete(ack, member) },
		})
	}
	return list
}

// appliedForgeries change appliedReceipt, whose members carry the prefix of the receipt type.
func appliedForgeries(prefix, otherKind string) []forgery {
	set := func(name, detail, member string, value any) forgery {
		return forgery{name: "applied " + name, detail: detail, ack: func(ack fixture.Object) {
			ack["appliedReceipt"] = changed(ack["appliedReceipt"].(fixture.Object), member, value)
		}}
	}
	at := "ack_shape: /ack/appliedReceipt/$"
	return []forgery{
		set("kind of another", "ack_matches_member: /ack/appliedReceipt/kind", "kind", otherKind),
		set("kind unknown", "ack_matches_member: /ack/appliedReceipt/kind", "kind", "anything"),
		set("kind missing", "ack_matches_member: /ack/appliedReceipt/kind", "kind", nil),
		set("version 2", "ack_matches_member: /ack/appliedReceipt/$SchemaVersion", prefix+"SchemaVersion", "2"),
		set("version as a number", at+"SchemaVersion", prefix+"SchemaVersion", 1),
		set("reference missing", at+"Ref", prefix+"Ref", nil),
		set("reference empty", at+"Ref", prefix+"Ref", ""),
		set("reference with a control character", at+"Ref", prefix+"Ref", "a\u0001b"),
		set("reference too long", at+"Ref", prefix+"Ref", strings.Repeat("r", 257)),
		set("algorithm unknown", at+"DigestAlgorithmVersion", prefix+"DigestAlgorithmVersion", "sha1"),
		set("digest missing", at+"Digest", prefix+"Digest", nil),
		set("digest short", at+"Digest", prefix+"Digest", otherDigest[1:]),
		set("digest in capitals", at+"Digest", prefix+"Digest", strings.ToUpper(otherDigest)),
		set("unknown member", "ack_shape: /ack/appliedReceipt", "more", 1),
		set("reference of another", "receipt_matches_member: /receipt/$Ref", prefix+"Ref", "another"),
		set("digest of another", "receipt_matches_member: /receipt/$Digest", prefix+"Digest", otherDigest),
	}
}

func receiptForgeries(source bool) []forgery {
	list := []forgery{
		receiptMember("destination", "nowhere", "receipt_matches_member: /receipt/destination"),
		receiptMember("consumerName", "another_consumer", "receipt_matches_member: /receipt/consumerName"),
		receiptMember("eventId", someID, "receipt_matches_member: /receipt/eventId"),
		receiptMember("eventEnvelopeSha256", otherDigest, "receipt_matches_member: /receipt/eventEnvelopeSha256"),
		receiptMember("eventEnvelopeDigestAlgorithmVersion", "jcs-sha256-v2", "receipt_matches_member: /receipt/eventEnvelopeDigestAlgorithmVersion"),
	}
	for _, member := range []string{"destination", "consumerName", "eventId", "eventEnvelopeSha256"} {
		list = append(list, receiptMember(member, nil, "receipt_matches_member: /receipt/"+member))
	}
	for member, value := range map[string]string{"eventType": "wallet.reserved@2.0", "eventSchemaVersion": "9"} {
		for what, other := range map[string]any{"another": value, "none": nil} {
			list = append(list, forgery{
				name: "receipt " + member + " " + what, detail: "receipt_matches_member: /receipt/" + member,
				receipt: func(receipt fixture.Object) {
					if source {
						receipt["source"] = changed(receipt["source"].(fixture.Object), member, other)
						return
					}
					maps.Copy(receipt, fixture.Object{member: other})
				},
			})
		}
	}
	return list
}

// projectionForgeries are about the projection that an Operations delivery froze.
func projectionForgeries() []forgery {
	return []forgery{
		receiptMember("projectionName", "operations_read_model_shadow", "receipt_matches_member: /receipt/projectionName"),
		receiptMember("projectionVersion", "2", "receipt_matches_member: /receipt/projectionVersion"),
		receiptMember("projectionVersion", 1, "receipt_matches_member: /receipt/projectionVersion"),
		{name: "without projection", detail: "receipt_matches_member: /receipt/projectionName", receipt: func(receipt fixture.Object) {
			delete(receipt, "projectionName")
			delete(receipt, "projectionVersion")
		}},
		receiptMember("more", 1, "receipt_shape: /receipt/unknown member"),
		receiptMember("source", fixture.Object{}, "receipt_shape: /receipt/unknown member"),
		receiptMember("committedAt", "2026-11-30T12:00:01Z", "receipt_shape: /receipt/unknown member"),
		receiptMember("appliedAt", "yesterday", "receipt_shape: /receipt/appliedAt"),
		receiptMember("appliedAt", "2026-02-30T12:00:00Z", "receipt_shape: /receipt/appliedAt"),
		receiptMember("appliedAt", 1, "receipt_shape: /receipt/appliedAt"),
	}
}

func consumerForgeries() []forgery {
	return []forgery{
		receiptMember("committedAt", "yesterday", "receipt_shape: /receipt/committedAt"),
		receiptMember("committedAt", nil, "receipt_shape: /receipt/committedAt"),
		receiptMember("source", "x", "receipt_shape: /receipt/source"),
		receiptMember("projectionName", "operations_read_model", "receipt_matches_member: /receipt/projectionName"),
	}
}

func TestForgedAcknowledgementDoesNotCount(t *testing.T) {
	t.Parallel()
	for _, destination := range destinations {
		t.Run(destination, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			claim := w.claimed(t, destination)
			prefix := contracts.ReceiptPrefix(claim.ExpectedReceiptType)
			otherKind := fixture.AckKind(fixture.Metering)
			if destination == fixture.Metering {
				otherKind = fixture.AckKind(fixture.CatchUp)
			}
			forgeries := append(ackForgeries(), appliedForgeries(prefix, otherKind)...)
			forgeries = append(forgeries, receiptForgeries(destination == fixture.Metering || destination == fixture.Coordinator)...)
			if destination == fixture.Operations {
				forgeries = append(forgeries, projectionForgeries()...)
			} else {
				forgeries = append(forgeries, consumerForgeries()...)
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
	for _, destination := range []string{fixture.Metering, fixture.Coordinator, fixture.CatchUp} {
		t.Run(destination, func(t *testing.T) {
			claim := w.claimed(t, destination)
			prefix := contracts.ReceiptPrefix(claim.ExpectedReceiptType)
			receipt := changed(fixture.Receipt(claim), "outcome", fixture.Object{"state": "another"})
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
		assertInvalid(t, w, pair[0], fixture.Ack(pair[1], genuine), genuine, "ack_shape: /ack/appliedReceipt")
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
	for name, applied := range map[string]fixture.Object{
		"members of both":              both,
		"own kind, members of another": changed(other, "kind", own["kind"]),
	} {
		t.Run(name, func(t *testing.T) {
			assertInvalid(t, w, claim, changed(fixture.Ack(claim, receipt), "appliedReceipt", applied), receipt, "ack_shape: /ack/appliedReceipt")
		})
	}
	assertInvalid(t, w, claim, changed(fixture.Ack(claim, receipt), "appliedReceipt", changed(own, "kind", other["kind"])), receipt,
		"ack_matches_member: /ack/appliedReceipt/kind")
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

func TestReceiptMayHoldAnyCanonicalText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Metering)
	receipt := fixture.Receipt(claim)
	receipt["outcome"] = fixture.Object{
		"\U0001F600": 1, "\ufb33": 2, "e\u0301": "not NFC", "number": 1e21, "fraction": 0.1, "line\u2028": "\u007f\u0080\"\\/",
	}
	w.settle(t, []string{"complete"}, fixture.AcknowledgeWith(claim, fixture.Seal(claim, receipt)))
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
