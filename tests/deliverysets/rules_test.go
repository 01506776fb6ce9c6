package deliverysets_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestUnknownSchemaVersionIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, version := range []string{"2", "1.0", "0", "v1"} {
		invalid(t, db, "value_is_expected", "/deliverySetDefinitionSchemaVersion", definition(set("deliverySetDefinitionSchemaVersion", version)))
	}
}

func TestUnknownDigestAlgorithmIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, algorithm := range []string{"jcs-sha256-v2", "JCS-SHA256-V1", "sha256", "jcs-sha512-v1"} {
		invalid(t, db, "value_is_expected", "/deliverySetDefinitionDigestAlgorithmVersion",
			definition(set("deliverySetDefinitionDigestAlgorithmVersion", algorithm)))
	}
}

func TestCountsEqualTheirArrays(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, count := range []int{0, 12, 14} {
		invalid(t, db, "count_equals_length", "/applicableEventCount", definition(set("applicableEventCount", count)))
	}
	for _, count := range []int{0, 13, 15} {
		invalid(t, db, "count_equals_length", "/memberCount", definition(set("memberCount", count)))
	}
}

// swap exchanges two neighbours.
func swap(array string, i int) edit {
	return func(d fixture.Object) {
		items := d[array].([]any)
		items[i], items[i+1] = items[i+1], items[i]
	}
}

// repeat puts an element in twice and counts it.
func repeat(array, count string, i int) edit {
	return func(d fixture.Object) {
		items := d[array].([]any)
		d[array] = append(append(append([]any{}, items[:i+1]...), items[i]), items[i+1:]...)
		d[count] = len(items) + 1
	}
}

func TestArraysAreInTheOrderOfTheirKey(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for i := range 12 {
		invalid(t, db, "array_is_sorted", fmt.Sprintf("/applicableEvents/%d", i+1), definition(swap("applicableEvents", i)))
	}
	for i := range 13 {
		invalid(t, db, "array_is_sorted", fmt.Sprintf("/members/%d", i+1), definition(swap("members", i)))
	}
}

func TestArraysNameEachKeyOnce(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	invalid(t, db, "array_has_no_duplicate", "/applicableEvents/5", definition(repeat("applicableEvents", "applicableEventCount", 4)))
	invalid(t, db, "array_has_no_duplicate", "/members/2", definition(repeat("members", "memberCount", 1)))
	// The key decides, not the rest of the member.
	invalid(t, db, "array_has_no_duplicate", "/members/2", definition(repeat("members", "memberCount", 1), func(d fixture.Object) {
		copied := maps.Clone(item(d, "members", 2))
		copied["mandatory"] = false
		d["members"].([]any)[2] = copied
	}))
}

func TestOrderIsTheSameUnderAnyCollation(t *testing.T) {
	t.Parallel()
	db := fixture.Collated(t, "en-US-u-ka-shifted")
	tap.RowEq(t, db, tap.Row{false, true}, `select 'a-b' < 'a.a', 'a-b' < 'a.a' collate "C"`) // it does sort otherwise
	tap.IsEmpty(t, db, violationsSQL, fixture.JSON(fixture.Definition("first")))
	invalid(t, db, "array_is_sorted", "/applicableEvents/2", definition(swap("applicableEvents", 1)))
}

func TestUnregisteredPairIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, pair := range [][2]string{{"zzz.unknown@1", "1"}, {"wallet.reserved@2.0", "2"}, {"wallet.reserved@2.1", "2.0"}} {
		invalid(t, db, "event_type_is_registered", "/applicableEvents/12", definition(
			inItem("applicableEvents", 12, "eventType", pair[0]), inItem("applicableEvents", 12, "eventSchemaVersion", pair[1]),
			inItem("members", 13, "eventType", pair[0]), inItem("members", 13, "eventSchemaVersion", pair[1])))
	}
}

func TestMemberOfAnEventThatIsNotApplicableIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	invalid(t, db, "member_event_is_applicable", "/members/13", definition(func(d fixture.Object) {
		d["applicableEvents"], d["applicableEventCount"] = d["applicableEvents"].([]any)[:12], 12
	}))
	invalid(t, db, "member_event_is_applicable", "/members/13", definition(inItem("members", 13, "eventSchemaVersion", "2.1")))
}

func TestApplicableEventWithoutAMandatoryMemberIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	const rule = "applicable_event_has_mandatory_member"
	invalid(t, db, rule, "/applicableEvents/12", definition(func(d fixture.Object) {
		d["members"], d["memberCount"] = d["members"].([]any)[:13], 13
	}))
	invalid(t, db, rule, "/applicableEvents/12", definition(inItem("members", 13, "mandatory", false)))
	invalid(t, db, rule, "/applicableEvents/0", definition(func(d fixture.Object) { d["members"], d["memberCount"] = []any{}, 0 }))
}

func TestDestinationThatIsBoundToTwoConsumersIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	rebound := func(d fixture.Object) {
		copied := maps.Clone(item(d, "members", 0))
		copied["consumerName"] = "zz_shadow_projector"
		items := d["members"].([]any)
		d["members"], d["memberCount"] = append([]any{items[0], copied}, items[1:]...), 15
	}
	invalid(t, db, "array_has_no_duplicate", "/members/1", definition(rebound))
}

func TestUnregisteredDestinationIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	invalid(t, db, "destination_is_registered", "/members/13/destination", definition(inItem("members", 13, "destination", "shadow_operations")))
}

func TestMemberThatDiffersFromItsDestinationIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	required := json.RawMessage(`{"state":"required","projectionName":"a","projectionVersion":"1"}`)
	notApplicable := json.RawMessage(`{"state":"not_applicable"}`)
	for i, changes := range map[int]map[string]any{
		0: { // goes to Operations
			"consumerName": "metering_input_processor_consumer", "expectedReceiptType": "MeteringInputProcessorConsumerReceipt",
			"projectionTarget": notApplicable,
		},
		1: { // goes to the billing coordinator
			"consumerName": "operations_projector", "expectedReceiptType": "OperationsProjectionAppliedReceipt", "projectionTarget": required,
		},
	} {
		// The schema knows the destinations of the first release.
		for name, value := range changes {
			path := fmt.Sprintf("/members/%d/%s", i, name) + map[string]string{"projectionTarget": "/state"}[name]
			invalid(t, db, "value_is_expected", path, definition(inItem("members", i, name, value)))
		}
	}
	for i, version := range []string{"2", "1.0"} {
		invalid(t, db, "member_matches_destination", fmt.Sprintf("/members/%d/expectedReceiptSchemaVersion", i),
			definition(inItem("members", i, "expectedReceiptSchemaVersion", version)))
	}
}

func TestMemberThatDiffersFromALaterDestinationIsRefused(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	db := d.Conn(t)
	tap.Exec(t, d.As(t, "outbox_owner"), `
		insert into outbox.destinations (destination, consumer_name, ack_kind, receipt_type, receipt_schema_version, projection_required)
		values ('audit', 'audit_consumer', 'audit', 'OperationsProjectionAppliedReceipt', '1', false)`)
	audit := func(d fixture.Object) {
		member := item(d, "members", 13)
		member["destination"], member["consumerName"] = "audit", "audit_consumer"
		member["expectedReceiptType"], member["expectedReceiptSchemaVersion"] = "OperationsProjectionAppliedReceipt", "1"
		member["projectionTarget"] = fixture.Object{"state": "not_applicable"}
	}
	tap.IsEmpty(t, db, violationsSQL, definition(audit))
	for name, value := range map[string]any{
		"consumerName": "operations_projector", "expectedReceiptType": "MeteringInputProcessorConsumerReceipt", "expectedReceiptSchemaVersion": "2",
		"projectionTarget": fixture.Object{"state": "required", "projectionName": "a", "projectionVersion": "1"},
	} {
		invalid(t, db, "member_matches_destination", "/members/13/"+name, definition(audit, inItem("members", 13, name, value)))
	}
}

func TestDigestOfTheDefinitionIsRecomputed(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	wrong := fixture.Definition("broken")
	wrong["deliverySetDefinitionDigest"] = strings.Repeat("0", 64)
	invalid(t, db, "digest_matches", "/deliverySetDefinitionDigest", fixture.JSON(wrong))
	renamed := fixture.Definition("broken")
	renamed["deliverySetVersion"] = "renamed" // the digest covers the version
	invalid(t, db, "digest_matches", "/deliverySetDefinitionDigest", fixture.JSON(renamed))
	relaxed := fixture.Definition("broken")
	item(relaxed, "members", 1)["mandatory"] = false
	invalid(t, db, "digest_matches", "/deliverySetDefinitionDigest", fixture.JSON(relaxed))
}

func TestEveryViolationIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).As(t, "outbox_reader")
	tap.BagEq(t, db, tap.Rows{
		{"/note", "member_is_known"}, {"/members/0/mandatory", "type_is_right"}, {"/members/5/destination", "member_is_present"},
	}, violationsSQL, definition(set("note", 1), inItem("members", 0, "mandatory", "yes"), notInItem("members", 5, "destination")))
	tap.BagEq(t, db, tap.Rows{
		{"/applicableEvents/0", "event_type_is_registered"}, {"/members/13/destination", "destination_is_registered"},
		{"/members/0/expectedReceiptSchemaVersion", "member_matches_destination"}, {"/applicableEvents/0", "applicable_event_has_mandatory_member"},
		{"/members/0", "member_event_is_applicable"},
	}, violationsSQL, definition(inItem("applicableEvents", 0, "eventSchemaVersion", "7"), inItem("members", 13, "destination", "elsewhere"),
		inItem("members", 0, "expectedReceiptSchemaVersion", "9")))
	// A wrong digest alone hides no other rule.
	wrong := fixture.Definition("broken", inItem("members", 13, "destination", "elsewhere"))
	wrong["deliverySetDefinitionDigest"] = strings.Repeat("0", 64)
	tap.BagEq(t, db, tap.Rows{
		{"/deliverySetDefinitionDigest", "digest_matches"}, {"/members/13/destination", "destination_is_registered"},
	}, violationsSQL, fixture.JSON(wrong))
}

func TestViolationsOfALargeDefinitionComeSoon(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).As(t, "outbox_reader")
	tap.Exec(t, db, "set statement_timeout = '30s'")
	large := fixture.Definition("large", func(d fixture.Object) {
		for range 5000 {
			d["members"] = append(d["members"].([]any), item(d, "members", 13))
		}
	})
	tap.RowEq(t, db, tap.Row{5000}, "select count(*) from contracts.delivery_set_violations($1::json) where rule = 'array_has_no_duplicate'", fixture.JSON(large))
}

func TestPublishedDefinitionRegistersAsItIs(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).As(t, "outbox_governor")
	tap.RowEq(t, db, tap.Row{"inserted"}, registerSQL, string(contracts.FirstRelease()))
	tap.RowEq(t, db, tap.Row{contracts.FirstReleaseName, "f64a437a64e29d0ecefcd86ac76809d929a5203670d23a5010adf78f0a65e49f"}, `
		select delivery_set_version, encode(delivery_set_definition_digest, 'hex') from outbox.delivery_set_versions`)
}
