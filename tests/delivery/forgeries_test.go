package delivery_test

import (
	"maps"
	"path"
	"strings"

	"github.com/oceanway/outbox/contracts"
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
		ackMember("destination", "nowhere", "ack_shape: /ack/destination value_is_expected"),
		ackMember("destination", nil, "ack_shape: /ack/destination type_is_right"),
		ackMember("consumerName", "another_consumer", "ack_shape: /ack/consumerName value_is_expected"),
		ackMember("consumerName", 1, "ack_shape: /ack/consumerName type_is_right"),
		ackMember("eventId", someID, "ack_matches_member: /ack/eventId"),
		ackMember("eventId", "nonsense", "ack_shape: /ack/eventId text_matches_pattern"),
		ackMember("eventEnvelopeSha256", otherDigest, "ack_matches_member: /ack/eventEnvelopeSha256"),
		ackMember("eventEnvelopeDigestAlgorithmVersion", "jcs-sha256-v2", "ack_shape: /ack/eventEnvelopeDigestAlgorithmVersion value_is_expected"),
		ackMember("more", 1, "ack_shape: /ack/more member_is_known"),
		ackMember("appliedReceipt", nil, "ack_shape: /ack/appliedReceipt type_is_right"),
		ackMember("appliedReceipt", "x", "ack_shape: /ack/appliedReceipt type_is_right"),
		ackMember("appliedReceipt", fixture.Object{}, "ack_shape: /ack/appliedReceipt/kind member_is_present"),
		{name: "ack digest in capitals", detail: "ack_shape: /ack/eventEnvelopeSha256 text_matches_pattern", ack: func(ack fixture.Object) {
			ack["eventEnvelopeSha256"] = strings.ToUpper(ack["eventEnvelopeSha256"].(string))
		}},
	}
	for _, member := range []string{"destination", "consumerName", "eventId", "eventEnvelopeSha256", "eventEnvelopeDigestAlgorithmVersion", "appliedReceipt"} {
		list = append(list, forgery{
			name: "ack without " + member, detail: "ack_shape: /ack/" + member + " member_is_present",
			ack: func(ack fixture.Object) { delete(ack, member) },
		})
	}
	return list
}

// appliedForgeries change appliedReceipt, whose members carry the prefix of the receipt type; other is another destination's.
func appliedForgeries(prefix string, other fixture.Claimed) []forgery {
	set := func(name, detail, member string, value any) forgery {
		return forgery{name: "applied " + name, detail: detail, ack: func(ack fixture.Object) {
			ack["appliedReceipt"] = changed(ack["appliedReceipt"].(fixture.Object), member, value)
		}}
	}
	// With the kind of the other, own members are unknown and the other's are missing. The first by path is reported.
	otherPrefix := contracts.ReceiptPrefix(other.ExpectedReceiptType)
	ofOther := "ack_shape: /ack/appliedReceipt/" + otherPrefix + "Digest member_is_present"
	if prefix < otherPrefix {
		ofOther = "ack_shape: /ack/appliedReceipt/$Digest member_is_known"
	}
	at := "ack_shape: /ack/appliedReceipt/$"
	return []forgery{
		set("kind of another", ofOther, "kind", fixture.AckKind(other.Destination)),
		set("kind unknown", "ack_shape: /ack/appliedReceipt/kind branch_is_known", "kind", "anything"),
		set("kind missing", "ack_shape: /ack/appliedReceipt/kind member_is_present", "kind", nil),
		set("version 2", "ack_matches_member: /ack/appliedReceipt/$SchemaVersion", prefix+"SchemaVersion", "2"),
		set("version as a number", at+"SchemaVersion type_is_right", prefix+"SchemaVersion", 1),
		set("reference missing", at+"Ref quartet_is_complete", prefix+"Ref", nil),
		set("reference empty", at+"Ref text_length_within_bounds", prefix+"Ref", ""),
		set("reference with a control character", at+"Ref text_matches_pattern", prefix+"Ref", "a\u0001b"),
		set("reference too long", at+"Ref text_length_within_bounds", prefix+"Ref", strings.Repeat("r", 257)),
		set("algorithm unknown", at+"DigestAlgorithmVersion value_is_expected", prefix+"DigestAlgorithmVersion", "sha1"),
		set("digest missing", at+"Digest quartet_is_complete", prefix+"Digest", nil),
		set("digest short", at+"Digest text_matches_pattern", prefix+"Digest", otherDigest[1:]),
		set("digest in capitals", at+"Digest text_matches_pattern", prefix+"Digest", strings.ToUpper(otherDigest)),
		set("unknown member", "ack_shape: /ack/appliedReceipt/more member_is_known", "more", 1),
		set("reference of another", "receipt_matches_member: /receipt/$Ref", prefix+"Ref", "another"),
		set("digest of another", "receipt_matches_member: /receipt/$Digest", prefix+"Digest", otherDigest),
	}
}

// receiptForgeries are about the members that every receipt has.
func receiptForgeries() []forgery {
	return []forgery{
		receiptMember("destination", "nowhere", "receipt_shape: /receipt/destination value_is_expected"),
		receiptMember("destination", nil, "receipt_shape: /receipt/destination value_is_expected"),
		receiptMember("consumerName", "another_consumer", "receipt_shape: /receipt/consumerName value_is_expected"),
		receiptMember("consumerName", nil, "receipt_shape: /receipt/consumerName value_is_expected"),
		receiptMember("eventId", someID, "receipt_matches_member: /receipt/eventId"),
		receiptMember("eventId", nil, "receipt_shape: /receipt/eventId type_is_right"),
		receiptMember("eventEnvelopeSha256", otherDigest, "receipt_matches_member: /receipt/eventEnvelopeSha256"),
		receiptMember("eventEnvelopeSha256", nil, "receipt_shape: /receipt/eventEnvelopeSha256 type_is_right"),
		receiptMember("eventEnvelopeDigestAlgorithmVersion", "jcs-sha256-v2", "receipt_shape: /receipt/eventEnvelopeDigestAlgorithmVersion value_is_expected"),
		receiptMember("more", 1, "receipt_shape: /receipt/more member_is_known"),
		{
			name: "receipt of another version", detail: "receipt_shape: /receipt/$SchemaVersion value_is_expected",
			receipt: func(receipt fixture.Object) { setVersion(receipt, "2") },
			ack:     func(ack fixture.Object) { setVersion(ack["appliedReceipt"].(fixture.Object), "1") },
		},
	}
}

// setVersion sets the version that a receipt, or what names one, has.
func setVersion(object fixture.Object, version string) {
	for member := range object {
		if strings.HasSuffix(member, "ReceiptSchemaVersion") {
			object[member] = version
		}
	}
}

// eventForgeries name another event type or version than that of the event, or none.
func eventForgeries(destination string) []forgery {
	in, other, none := "", "value_is_expected", "value_is_expected"
	switch destination {
	case fixture.Operations: // takes events of any type
		none = "type_is_right"
	case fixture.Metering, fixture.Coordinator:
		in, none = "source", "member_is_present"
	}
	var list []forgery
	for member, value := range map[string]string{"eventType": "wallet.reserved@2.0", "eventSchemaVersion": "9"} {
		for what, to := range map[string]any{"another": value, "none": nil} {
			detail := "receipt_shape: /receipt/" + path.Join(in, member) + " " + map[string]string{"another": other, "none": none}[what]
			if destination == fixture.Operations && what == "another" {
				detail = "receipt_matches_member: /receipt/" + member
			}
			list = append(list, forgery{name: "receipt " + member + " " + what, detail: detail, receipt: func(receipt fixture.Object) {
				if in != "" {
					receipt[in] = changed(receipt[in].(fixture.Object), member, to)
					return
				}
				receipt[member] = to
			}})
		}
	}
	return list
}

// projectionForgeries are about the projection that an Operations delivery froze.
func projectionForgeries() []forgery {
	return []forgery{
		receiptMember("projectionName", "operations_read_model_shadow", "receipt_matches_member: /receipt/projectionName"),
		receiptMember("projectionVersion", "2", "receipt_matches_member: /receipt/projectionVersion"),
		receiptMember("projectionVersion", 1, "receipt_shape: /receipt/projectionVersion type_is_right"),
		{name: "without projection", detail: "receipt_shape: /receipt/projectionName member_is_present", receipt: func(receipt fixture.Object) {
			delete(receipt, "projectionName")
			delete(receipt, "projectionVersion")
		}},
		receiptMember("source", fixture.Object{}, "receipt_shape: /receipt/source member_is_known"),
		receiptMember("committedAt", "2026-11-30T12:00:01Z", "receipt_shape: /receipt/committedAt member_is_known"),
		receiptMember("appliedAt", "yesterday", "receipt_shape: /receipt/appliedAt text_matches_pattern"),
		receiptMember("appliedAt", "2026-02-30T12:00:00Z", "receipt_shape: /receipt/appliedAt text_matches_pattern"),
		receiptMember("appliedAt", 1, "receipt_shape: /receipt/appliedAt type_is_right"),
	}
}

// consumerForgeries are about the members of the other receipts.
func consumerForgeries(destination string) []forgery {
	source := map[string]string{
		fixture.Metering: "/receipt/source/kind member_is_present", fixture.Coordinator: "/receipt/source/kind member_is_present",
		fixture.CatchUp: "/receipt/source member_is_known",
	}
	return []forgery{
		receiptMember("committedAt", "yesterday", "receipt_shape: /receipt/committedAt text_matches_pattern"),
		receiptMember("committedAt", nil, "receipt_shape: /receipt/committedAt type_is_right"),
		receiptMember("source", fixture.Object{}, "receipt_shape: "+source[destination]),
		receiptMember("projectionName", "operations_read_model", "receipt_shape: /receipt/projectionName member_is_known"),
	}
}
