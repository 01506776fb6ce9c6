package delivery_test

import (
	"maps"
	"strings"

	"github.com/oceanway/outbox/tests/fixture"
)

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
