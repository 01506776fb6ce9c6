package deliverysets_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// faults are values of a wrong type or form, under the rule that each breaks.
type faults map[string][]any

// members are the members of each object of a definition, with their faults. Null is one of each.
var members = map[string]map[string]faults{
	"": {
		"deliverySetVersion": {
			"type_is_right": {nil, 1, []any{}}, "text_length_within_bounds": {"", strings.Repeat("x", 257)}, "text_matches_pattern": {"a\tb"},
		},
		"deliverySetDefinitionSchemaVersion":          {"value_is_expected": {nil, 1, "", true}},
		"deliverySetDefinitionDigestAlgorithmVersion": {"value_is_expected": {nil, 1, "", fixture.Object{}}},
		"applicableEventCount":                        {"type_is_right": {nil, "13", 13.5, true}, "number_within_bounds": {-1, 1e9}},
		"applicableEvents":                            {"type_is_right": {nil, "x", fixture.Object{}, 13}},
		"memberCount":                                 {"type_is_right": {nil, "14", 14.5, []any{}}, "number_within_bounds": {-1, 1e9}},
		"members":                                     {"type_is_right": {nil, "x", fixture.Object{}, 14}},
	},
	"/applicableEvents/2": {
		"eventType": {
			"type_is_right": {nil, 1}, "text_length_within_bounds": {strings.Repeat("x", 255) + "@1"},
			"text_matches_pattern": {"", "Run.created@2.0", "run.created", "run created@1", "é@1", "run@1\n"},
		},
		"eventSchemaVersion": {
			"type_is_right": {nil, 1}, "text_matches_pattern": {"", "v1", "1.", "1\n"}, "text_length_within_bounds": {strings.Repeat("1", 65)},
		},
	},
	"/members/3": {
		"eventType":                    {"type_is_right": {nil, 1}, "text_matches_pattern": {"", "Run.created@2.0", "run.created"}},
		"eventSchemaVersion":           {"type_is_right": {nil, 1}, "text_matches_pattern": {"", "v1"}},
		"destination":                  {"type_is_right": {nil, 1}, "text_matches_pattern": {"", "Core", "core-operations", "1core", strings.Repeat("x", 129), "core\n"}},
		"consumerName":                 {"type_is_right": {nil, 1}, "text_matches_pattern": {"", "Core", "core-operations"}},
		"expectedReceiptType":          {"type_is_right": {nil, 1}, "text_matches_pattern": {"", "operationsProjection", "A-B", "A\n"}},
		"expectedReceiptSchemaVersion": {"type_is_right": {nil, 1}, "text_matches_pattern": {"", "v1"}},
		"projectionTarget":             {"type_is_right": {nil, 1, "required", []any{}, []any{1}, []any{fixture.Object{}}}},
		"mandatory":                    {"type_is_right": {nil, 1, "true", 0}},
	},
	"/members/3/projectionTarget": {
		"state": {"branch_is_known": {nil, 1, "", "Required", "optional"}},
	},
}

// at finds the object of a definition that a path names.
func at(definition fixture.Object, path string) fixture.Object {
	var object any = definition
	for _, step := range strings.Split(path, "/")[1:] {
		switch node := object.(type) {
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil {
				panic(err) // the test's own path
			}
			object = node[i]
		case fixture.Object:
			object = node[step]
		}
	}
	return object.(fixture.Object)
}

func TestFirstReleaseIsValid(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).As(t, "outbox_governor")
	tap.IsEmpty(t, db, violationsSQL, fixture.JSON(fixture.Definition("first")))
	tap.RowEq(t, db, tap.Row{"inserted"}, registerSQL, fixture.JSON(fixture.Definition("first")))
}

func TestDefinitionIsAnObject(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, document := range []string{`null`, `[]`, `1`, `"x"`, `true`} {
		invalid(t, db, "type_is_right", "", document)
	}
	tap.Throws(t, db, "OX010", "type_is_right", "select outbox.register_delivery_set(null, 'test')")
	tap.Throws(t, db, "22P02", "", registerSQL, "{")
}

func TestDefinitionIsClosed(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for path := range members {
		for _, name := range []string{"note", "Mandatory", "a/b"} {
			invalid(t, db, "member_is_known", path+"/"+strings.ReplaceAll(name, "/", "~1"), definition(func(d fixture.Object) { at(d, path)[name] = "x" }))
		}
	}
}

func TestDefinitionIsComplete(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for path, forms := range members {
		for name := range forms {
			invalid(t, db, "member_is_present", path+"/"+name, definition(func(d fixture.Object) { delete(at(d, path), name) }))
		}
	}
	whole := fixture.Definition("broken")
	delete(whole, "deliverySetDefinitionDigest")
	invalid(t, db, "member_is_present", "/deliverySetDefinitionDigest", fixture.JSON(whole))
	invalid(t, db, "member_is_present", "/members", "{}")
}

func TestMembersOfADefinitionHaveTheirForm(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for path, forms := range members {
		for name, faults := range forms {
			for rule, values := range faults {
				for _, value := range values {
					invalid(t, db, rule, path+"/"+name, definition(func(d fixture.Object) { at(d, path)[name] = value }))
				}
			}
		}
	}
	for rule, digests := range (faults{
		"type_is_right":        {nil, 1},
		"text_matches_pattern": {"", strings.Repeat("A", 64), strings.Repeat("a", 63), strings.Repeat("a", 65), strings.Repeat("g", 64)},
	}) {
		for _, digest := range digests {
			broken := fixture.Definition("broken")
			broken["deliverySetDefinitionDigest"] = digest
			invalid(t, db, rule, "/deliverySetDefinitionDigest", fixture.JSON(broken))
		}
	}
}

func TestItemsOfADefinitionAreObjects(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, array := range []string{"applicableEvents", "members"} {
		for _, value := range []any{nil, 1, "x", []any{}} {
			invalid(t, db, "type_is_right", "/"+array+"/1", definition(func(d fixture.Object) { d[array].([]any)[1] = value }))
		}
	}
}

func TestProjectionTargetNamesAProjectionExactlyWhenItIsRequired(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	const required, notApplicable = 0, 1 // members of the first release
	for _, c := range []struct {
		member             int
		rule, name, target string
	}{
		{required, "member_is_present", "projectionName", `{"state":"required"}`},
		{required, "member_is_present", "projectionVersion", `{"state":"required"}`},
		{required, "member_is_present", "projectionVersion", `{"state":"required","projectionName":"a"}`},
		{required, "member_is_present", "projectionName", `{"state":"required","projectionVersion":"1"}`},
		{required, "text_length_within_bounds", "projectionName", `{"state":"required","projectionName":"","projectionVersion":"1"}`},
		{required, "type_is_right", "projectionName", `{"state":"required","projectionName":null,"projectionVersion":"1"}`},
		{required, "type_is_right", "projectionVersion", `{"state":"required","projectionName":"a","projectionVersion":1}`},
		{notApplicable, "member_is_known", "projectionName", `{"state":"not_applicable","projectionName":"a","projectionVersion":"1"}`},
		{notApplicable, "member_is_known", "projectionVersion", `{"state":"not_applicable","projectionName":"a","projectionVersion":"1"}`},
		{notApplicable, "member_is_known", "projectionName", `{"state":"not_applicable","projectionName":"a"}`},
		{notApplicable, "member_is_known", "projectionVersion", `{"state":"not_applicable","projectionVersion":"1"}`},
	} {
		path := fmt.Sprintf("/members/%d/projectionTarget/%s", c.member, c.name)
		invalid(t, db, c.rule, path, definition(inItem("members", c.member, "projectionTarget", json.RawMessage(c.target))))
	}
}

func TestDefinitionIsHeldToTheJSONProfile(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	valid := definition()
	for _, c := range []struct{ rule, path, document string }{
		{"no_duplicate_key", "/memberCount", `{"memberCount":14,` + valid[1:]},
		{"no_duplicate_key", "/memberCount", `{"member\u0043ount":14,` + valid[1:]},
		{"no_nul_character", "/x", `{"x":"\u0000",` + valid[1:]},
		{"no_lone_surrogate", "/x", `{"x":"\ud800",` + valid[1:]},
		{"text_is_nfc", "/x", `{"x":"e\u0301",` + valid[1:]},
		{"number_is_exact", "/x", `{"x":1e400,` + valid[1:]},
		{"nesting_within_limit", "", `{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `,` + valid[1:]},
		{"raw_size_within_limit", "", valid + strings.Repeat(" ", 4<<20)},
	} {
		invalid(t, db, c.rule, c.path, c.document)
	}
}
