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

// members are the members of each object of a definition, with a value of the wrong type or form for each.
var members = map[string]map[string][]any{
	"": {
		"deliverySetVersion":                          {1, "", strings.Repeat("x", 257), "a\tb", []any{}},
		"deliverySetDefinitionSchemaVersion":          {1, "", true},
		"deliverySetDefinitionDigestAlgorithmVersion": {1, "", fixture.Object{}},
		"applicableEventCount":                        {"13", 13.5, -1, true, 1e9},
		"applicableEvents":                            {"x", fixture.Object{}, 13},
		"memberCount":                                 {"14", 14.5, -1, []any{}},
		"members":                                     {"x", fixture.Object{}, 14},
	},
	"/applicableEvents/2": {
		"eventType":          {1, "", "Run.created@2.0", "run.created", "run created@1", "é@1", "run@1\n"},
		"eventSchemaVersion": {1, "", "v1", "1.", "1\n"},
	},
	"/members/3": {
		"eventType":                    {1, "", "Run.created@2.0", "run.created"},
		"eventSchemaVersion":           {1, "", "v1"},
		"destination":                  {1, "", "Core", "core-operations", "1core", strings.Repeat("x", 129), "core\n"},
		"consumerName":                 {1, "", "Core", "core-operations"},
		"expectedReceiptType":          {1, "", "operationsProjection", "A-B", "A\n"},
		"expectedReceiptSchemaVersion": {1, "", "v1"},
		"projectionTarget":             {1, "required", []any{}},
		"mandatory":                    {1, "true", 0},
	},
	"/members/3/projectionTarget": {
		"state": {1, "", "Required", "optional"},
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
		invalid(t, db, "definition_is_object", "", document)
	}
	tap.Throws(t, db, "OX010", "definition_is_object", "select outbox.register_delivery_set(null, 'test')")
	tap.Throws(t, db, "22P02", "", registerSQL, "{")
}

func TestDefinitionIsClosed(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for path := range members {
		for _, name := range []string{"note", "Mandatory", "a/b"} {
			invalid(t, db, "definition_is_closed", path+"/"+strings.ReplaceAll(name, "/", "~1"), definition(func(d fixture.Object) { at(d, path)[name] = "x" }))
		}
	}
}

func TestDefinitionIsComplete(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for path, forms := range members {
		for name := range forms {
			invalid(t, db, "definition_is_complete", path+"/"+name, definition(func(d fixture.Object) { delete(at(d, path), name) }))
		}
	}
	whole := fixture.Definition("broken")
	delete(whole, "deliverySetDefinitionDigest")
	invalid(t, db, "definition_is_complete", "/deliverySetDefinitionDigest", fixture.JSON(whole))
	invalid(t, db, "definition_is_complete", "/members", "{}")
}

func TestMembersOfADefinitionHaveTheirForm(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for path, forms := range members {
		for name, values := range forms {
			for _, value := range append(values, nil) {
				invalid(t, db, "definition_is_well_formed", path+"/"+name, definition(func(d fixture.Object) { at(d, path)[name] = value }))
			}
		}
	}
	for _, digest := range []any{nil, 1, "", strings.Repeat("A", 64), strings.Repeat("a", 63), strings.Repeat("a", 65), strings.Repeat("g", 64)} {
		broken := fixture.Definition("broken")
		broken["deliverySetDefinitionDigest"] = digest
		invalid(t, db, "definition_is_well_formed", "/deliverySetDefinitionDigest", fixture.JSON(broken))
	}
}

func TestItemsOfADefinitionAreObjects(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, array := range []string{"applicableEvents", "members"} {
		for _, value := range []any{nil, 1, "x", []any{}} {
			invalid(t, db, "definition_is_well_formed", "/"+array+"/1", definition(func(d fixture.Object) { d[array].([]any)[1] = value }))
		}
	}
}

func TestProjectionTargetNamesAProjectionExactlyWhenItIsRequired(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	const required, notApplicable = 0, 1 // members of the first release
	for i, targets := range map[int][]string{
		required: {
			`{"state":"required"}`, `{"state":"required","projectionName":"a"}`, `{"state":"required","projectionVersion":"1"}`,
		},
		notApplicable: {
			`{"state":"not_applicable","projectionName":"a","projectionVersion":"1"}`, `{"state":"not_applicable","projectionName":"a"}`,
			`{"state":"not_applicable","projectionVersion":"1"}`,
		},
	} {
		for _, target := range targets {
			path := fmt.Sprintf("/members/%d/projectionTarget", i)
			invalid(t, db, "definition_is_well_formed", path, definition(inItem("members", i, "projectionTarget", json.RawMessage(target))))
		}
	}
	for _, value := range []string{`""`, `null`, `1`} {
		target := json.RawMessage(`{"state":"required","projectionName":` + value + `,"projectionVersion":"1"}`)
		invalid(t, db, "definition_is_well_formed", "/members/0/projectionTarget/projectionName", definition(inItem("members", 0, "projectionTarget", target)))
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
