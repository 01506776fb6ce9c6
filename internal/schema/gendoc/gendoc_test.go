package gendoc_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/schema"
	"github.com/oceanway/outbox/internal/schema/gendoc"
)

// load gives the schemas that documents can have, and a judge.
func load(t *testing.T) ([]*schema.Schema, *contracts.Registry) {
	t.Helper()
	set, err := schema.Load(os.DirFS("../../../contracts/schemas"))
	if err != nil {
		t.Fatal(err)
	}
	registry, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	all := set.Ordered()
	return slices.DeleteFunc(all, func(s *schema.Schema) bool { return s.Root == nil }), registry
}

func TestValidDocumentsAreValid(t *testing.T) {
	schemas, registry := load(t)
	for _, s := range schemas {
		t.Run(s.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := gendoc.Valid(s).Draw(t, "document")
				found, err := registry.Validate(s.Name, []byte(text))
				if err != nil || len(found) > 0 {
					t.Fatalf("%v %v\n%s", err, found, text)
				}
			})
		})
	}
}

func TestArraysAreInTheOrderOfUTF16(t *testing.T) {
	set, err := schema.Load(fstest.MapFS{"List@1.json": &fstest.MapFile{Data: []byte(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:oceanway:contracts:List@1", "title": "List@1", "description": "For this test.",
		"x-nfc": true, "type": "object", "required": ["list"], "additionalProperties": false, "properties": {"list": {
			"type": "array", "minItems": 2, "maxItems": 9, "x-sorted-by": ["key"], "items": {
				"type": "object", "required": ["key"], "additionalProperties": false, "properties": {"key": {"type": "string"}}}}}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	list, _ := set.Schema("List@1")
	for seed := range 100 {
		text := gendoc.Valid(list).Example(seed)
		var document struct{ List []struct{ Key string } }
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		for i, item := range document.List[1:] {
			before, after := utf16.Encode([]rune(document.List[i].Key)), utf16.Encode([]rune(item.Key))
			if slices.Compare(before, after) > 0 {
				t.Fatalf("not in order: %s", text)
			}
		}
	}
}

// The same documents in each run: what is rare is there or not.
func TestMutationsBreakEveryRule(t *testing.T) {
	wrong, right, broken := map[string]int{}, map[string]int{}, map[string]int{}
	schemas, registry := load(t)
	for _, s := range schemas {
		documents := gendoc.Mutant(s)
		for seed := range 200 {
			document := documents.Example(seed)
			if !json.Valid([]byte(document.Text)) {
				t.Fatalf("%s makes no JSON: %s", document.Mutation, document.Text)
			}
			found, err := registry.Validate(s.Name, []byte(document.Text))
			if err != nil {
				t.Fatal(err)
			}
			if len(found) > 0 {
				wrong[document.Mutation]++
			} else {
				right[document.Mutation]++
			}
			for _, violation := range found {
				broken[violation.Rule]++
			}
		}
	}
	for _, name := range gendoc.Mutations() {
		if wrong[name] == 0 {
			t.Errorf("nothing is wrong after: %s", name)
		}
		t.Logf("%-40s %5d wrong %5d right", name, wrong[name], right[name])
	}
	// A rule that no mutation breaks would be compared by nobody. No schema bounds the length of an array.
	for _, rule := range []string{
		"array_has_no_duplicate", "array_is_sorted", "branch_is_known", "count_equals_length", "decimal_is_canonical",
		"digest_matches", "member_is_known", "member_is_present", "members_are_equal", "nesting_within_limit", "no_duplicate_key", "no_lone_surrogate",
		"no_nul_character", "number_is_exact", "number_within_bounds", "quartet_is_complete", "text_is_nfc", "text_length_within_bounds",
		"text_matches_pattern", "type_is_right", "value_is_expected", "value_is_listed",
	} {
		if broken[rule] == 0 {
			t.Errorf("no mutation breaks %s", rule)
		}
		t.Logf("%-40s %5d", rule, broken[rule])
	}
}
