package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/oceanway/outbox/internal/schema"
)

// file makes a schema of a node and of more members of the root.
func file(name, node string) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, `{
"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:oceanway:contracts:%s", "title": "%s",
"description": "For this test.", "x-nfc": true, %s}`, name, name, node)}
}

// sound is a folder that uses everything the dialect has.
func sound() fstest.MapFS {
	return fstest.MapFS{
		"Common@1.json": file("Common@1", `"$defs": {
			"name": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^[a-z]+$"},
			"alias": {"$ref": "#/$defs/name", "description": "The same."}}`),
		"Thing@2.json": file("Thing@2", `
			"x-digest": {"algorithmVersion": "jcs-sha256-v1", "member": "digest", "excludes": ["digest", "note"]},
			"type": "object", "additionalProperties": false,
			"properties": {
				"digest": {"type": "string"}, "note": {"type": "object"}, "kind": {"enum": ["a", "b"]}, "on": {"type": "boolean"},
				"name": {"$ref": "urn:oceanway:contracts:Common@1#/$defs/alias"},
				"amount": {"type": "string", "x-decimal": {"precision": 38, "scale": 18, "signed": true}},
				"itemCount": {"type": "integer", "minimum": -1, "maximum": 9007199254740991},
				"items": {"type": "array", "minItems": 0, "maxItems": 3, "x-sorted-by": ["name"], "x-unique-by": ["name"],
					"items": {"$ref": "#/$defs/item"}},
				"ofRef": {"type": "string"}, "ofSchemaVersion": {"const": "1"}, "ofDigestAlgorithmVersion": {"type": "string"}, "ofDigest": {"type": "string"},
				"choice": {"x-discriminator": "state", "oneOf": [
					{"$ref": "#/$defs/none"},
					{"type": "object", "additionalProperties": false, "required": ["state", "name"],
						"properties": {"state": {"enum": ["some", "more"]}, "name": {"type": "string"}}}]}},
			"required": ["digest", "kind"],
			"x-quartets": ["of"], "x-counts": {"itemCount": "items"}, "x-equal": {"/name": "/choice/name"},
			"allOf": [{"if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]},
				"then": {"required": ["name"], "properties": {"choice": {"properties": {"state": {"enum": ["some"]}}}}, "x-equal": {"/name": "/note/any"}}}],
			"$defs": {
				"none": {"type": "object", "properties": {"state": {"const": "none"}}, "required": ["state"], "additionalProperties": false},
				"item": {"type": "object", "properties": {"name": {"type": "string"}, "n": {"const": 1}}, "required": ["name"], "additionalProperties": false}}`),
		"Apart@1.json": file("Apart@1", `"type": "object", "properties": {"thing": {"$ref": "urn:oceanway:contracts:Thing@2"}}, "required": [], "additionalProperties": false`),
	}
}

func TestSoundFolder(t *testing.T) {
	set, err := schema.Load(sound())
	if err != nil {
		t.Fatal(err)
	}
	if names := set.Names(); !slices.Equal(names, []string{"Apart@1", "Common@1", "Thing@2"}) {
		t.Error(names)
	}
	var ordered []string
	for _, s := range set.Ordered() {
		ordered = append(ordered, s.Name)
	}
	if !slices.Equal(ordered, []string{"Common@1", "Thing@2", "Apart@1"}) {
		t.Errorf("users before what they use: %v", ordered)
	}
	thing, _ := set.Schema("Thing@2")
	object := thing.Root.(*schema.Object)
	name, _ := object.Property("name")
	if target, ok := name.(*schema.Ref).Target().(*schema.String); !ok || target.MaxLength != 9 || target.Pattern.Text != "^[a-z]+$" {
		t.Errorf("the reference of a reference leads to %+v", name)
	}
	if to, definition := name.(*schema.Ref).Leads(); to != "Common@1" || definition != "alias" {
		t.Errorf("the reference leads to %s of %s", definition, to)
	}
	items, _ := object.Property("items")
	if to, definition := items.(*schema.Array).Items.(*schema.Ref).Leads(); to != "Thing@2" || definition != "item" {
		t.Errorf("the reference within the file leads to %s of %s", definition, to)
	}
	common, _ := set.Schema("Common@1")
	if got := []string{common.Defs[1].Node.Description(), object.Description(), name.Description()}; !slices.Equal(got, []string{"The same.", "For this test.", ""}) {
		t.Errorf("descriptions: %q", got)
	}
	choice, _ := object.Property("choice")
	if got := choice.(*schema.Union).Branches[1].Values; !slices.Equal(got, []schema.Scalar{"some", "more"}) {
		t.Errorf("the second branch is chosen by %v", got)
	}
	if thing.Digest.Member != "digest" || !thing.Digest.Excluded("note") || thing.Digest.Excluded("kind") {
		t.Errorf("%+v", thing.Digest)
	}
	if then := object.Conditionals[0].Then; then.Properties[0].Shape.Properties[0].Shape.Enum[0] != "some" || then.Equal[0].Second[1] != "any" {
		t.Errorf("%+v", then)
	}
}

// The published schemas, so that a mistake in one shows up here with its place.
func TestRepositorySchemasAreInTheDialect(t *testing.T) {
	set, err := schema.Load(os.DirFS("../../contracts/schemas"))
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Names()) == 0 {
		t.Error("there are none")
	}
}

// wantFault loads a folder that has one thing wrong with it.
func wantFault(t *testing.T, name string, folder fs.FS, file, pointer, problem string) {
	t.Helper()
	_, err := schema.Load(folder)
	if err == nil {
		t.Errorf("%s: is accepted", name)
		return
	}
	joined, _ := err.(interface{ Unwrap() []error })
	for _, fault := range joined.Unwrap() {
		var f *schema.DialectError
		if errors.As(fault, &f) && f.File == file && f.Pointer == pointer && strings.Contains(f.Problem, problem) {
			return
		}
	}
	t.Errorf("%s: wanted %s %s: …%s…, got\n%v", name, file, pointer, problem, err)
}

// thing replaces a part of Thing@2.
func thing(t *testing.T, old, replacement string) fs.FS {
	t.Helper()
	folder := sound()
	text := string(folder["Thing@2.json"].Data)
	if strings.Count(text, old) == 0 {
		t.Fatalf("the fixture holds no %s", old)
	}
	text = strings.Replace(text, old, replacement, 1)
	if !json.Valid([]byte(text)) {
		t.Fatalf("%s makes no JSON", replacement)
	}
	folder["Thing@2.json"] = &fstest.MapFile{Data: []byte(text)}
	return folder
}

func TestWhatIsNotInTheDialectIsRefused(t *testing.T) {
	for _, c := range []struct{ old, replacement, pointer, problem string }{
		// the file
		{`"x-nfc": true`, `"x-nfc": false`, "/x-nfc", "is not true"},
		{`draft/2020-12`, `draft/2019-09`, "/$schema", "is not https://json-schema.org/draft/2020-12/schema"},
		{`"title": "Thing@2"`, `"title": "Thing@1"`, "/title", "is not Thing@2"},
		{`"urn:oceanway:contracts:Thing@2"`, `"Thing@2"`, "/$id", "is not urn:"},
		{`"description": "For this test.", `, ``, "/description", "is missing"},
		{`"For this test."`, `""`, "/description", "is not a text"},
		{`"x-nfc": true,`, `"x-nfc": true, "x-nfc": true,`, "", "Duplicate"},
		{`"For this test."`, `"\ud800"`, "", "canonical form"},
		{`"x-nfc": true,`, `"x-nfc": true, "examples": [],`, "/examples", "not allowed"},
		{`"x-nfc": true,`, `"x-nfc": true, "$comment": "no",`, "/$comment", "not allowed"},
		{`"none": {`, `"None": {`, "/$defs/None", "lowerCamel"},
		// digest
		{`"algorithmVersion": "jcs-sha256-v1"`, `"algorithmVersion": "md5"`, "/x-digest/algorithmVersion", "is not jcs"},
		{`"excludes": ["digest", "note"]`, `"excludes": ["note"]`, "/x-digest/member", "not one of excludes"},
		{`"excludes": ["digest", "note"]`, `"excludes": ["digest", "other"]`, "/x-digest/excludes/1", "not a property"},
		{`"required": ["digest", "kind"]`, `"required": ["kind"]`, "/x-digest/member", "required as a string"},
		{`, "excludes": ["digest", "note"]`, ``, "/x-digest/excludes", "missing"},
		// nodes
		{`{"type": "boolean"}`, `{}`, "/properties/on", "is no node"},
		{`{"type": "boolean"}`, `true`, "/properties/on", "not an object"},
		{`{"type": "boolean"}`, `{"type": "number"}`, "/properties/on/type", "none of"},
		{`{"type": "boolean"}`, `{"type": ["boolean", "string"]}`, "/properties/on/type", "none of"},
		{`{"type": "boolean"}`, `{"type": "boolean", "default": true}`, "/properties/on/default", "not allowed"},
		{`{"type": "boolean"}`, `{"type": "boolean", "description": 1}`, "/properties/on/description", "is not a text"},
		{`{"enum": ["a", "b"]}`, `{"enum": ["a", "b"], "type": "string"}`, "/properties/kind/type", "not allowed"},
		{`{"enum": ["a", "b"]}`, `{"enum": []}`, "/properties/kind/enum", "at least 1"},
		{`{"enum": ["a", "b"]}`, `{"enum": ["a", "a"]}`, "/properties/kind/enum/1", "twice"},
		{`{"enum": ["a", "b"]}`, `{"enum": ["a", 1]}`, "/properties/kind/enum/1", "not a text"},
		{`{"const": "1"}`, `{"const": "1", "type": "string"}`, "/properties/ofSchemaVersion/type", "not allowed"},
		{`{"const": "1"}`, `{"const": null}`, "/properties/ofSchemaVersion/const", "not a string, an integer or a boolean"},
		{`{"const": "1"}`, `{"const": 1.5}`, "/properties/ofSchemaVersion/const", "not an integer"},
		{`{"const": "1"}`, `{"const": 1e2}`, "/properties/ofSchemaVersion/const", "not an integer"},
		{`{"type": "boolean"}`, `{"type": "string", "format": "uuid"}`, "/properties/on/format", "not allowed"},
		{`{"type": "boolean"}`, `{"type": "string", "minLength": -1}`, "/properties/on/minLength", "negative"},
		{`{"type": "boolean"}`, `{"type": "string", "minLength": 2, "maxLength": 1}`, "/properties/on/maxLength", "less than"},
		{`{"type": "boolean"}`, `{"type": "string", "pattern": "a+"}`, "/properties/on/pattern", "does not reach"},
		{`{"type": "boolean"}`, `{"type": "string", "pattern": "^\\d$"}`, "/properties/on/pattern", "escape"},
		{`"scale": 18`, `"scale": 38`, "/properties/amount/x-decimal", "precision above"},
		{`"signed": true`, `"signed": 1`, "/properties/amount/x-decimal/signed", "not true or false"},
		{`"signed": true`, `"signed": true, "min": 0`, "/properties/amount/x-decimal/min", "not allowed"},
		{`"maximum": 9007199254740991`, `"maximum": 9007199254740992`, "/properties/itemCount/maximum", "not an integer"},
		{`"maximum": 9007199254740991`, `"maximum": -2`, "/properties/itemCount/maximum", "less than"},
		{`"minimum": -1, `, ``, "/properties/itemCount/minimum", "is missing"},
		{`"minItems": 0`, `"minItems": 4`, "/properties/items/maxItems", "less than"},
		{`"maxItems": 3, `, ``, "/properties/items/maxItems", "is missing"},
		{`"minItems": 0`, `"uniqueItems": true`, "/properties/items/uniqueItems", "not allowed"},
		{`"items": {"$ref": "#/$defs/item"}`, `"items": true`, "/properties/items/items", "not an object"},
		{`{"type": "object"}`, `{"type": "object", "additionalProperties": true}`, "/properties/note/additionalProperties", "is not false"},
		{`{"type": "object"}`, `{"type": "object", "minProperties": 1}`, "/properties/note/minProperties", "not allowed"},
		{`"type": "object", "additionalProperties": false,`, `"type": "object",`, "/additionalProperties", "is not false"},
		{`"on": {`, `"on-off": {`, "/properties/on-off", "letters and digits"},
		{`"on": {`, `"_on": {`, "/properties/_on", "letters and digits"},
		{`"on": {`, `"größe": {`, "/properties/größe", "letters and digits"},
		{`"required": ["digest", "kind"]`, `"required": ["digest", "kind", "nobody"]`, "/required/2", "not one of the properties"},
		{`"required": ["digest", "kind"]`, `"required": ["digest", "digest"]`, "/required/1", "twice"},
		// references
		{`"#/$defs/item"`, `"#/$defs/nothing"`, "/properties/items/items/$ref", "leads nowhere"},
		{`"#/$defs/item"`, `"#/properties/kind"`, "/properties/items/items/$ref", "neither"},
		{`contracts:Common@1#`, `contracts:Common@2#`, "/properties/name/$ref", "leads nowhere"},
		{`Common@1#/$defs/alias`, `Common@1`, "/properties/name/$ref", "leads nowhere"},
		{`{"$ref": "#/$defs/item"}`, `{"$ref": "#/$defs/item", "type": "object"}`, "/properties/items/items/type", "not allowed"},
		{`"n": {"const": 1}`, `"n": {"$ref": "#/$defs/item"}`, "/$defs/item/properties/n/$ref", "leads back"},
		{`"n": {"const": 1}`, `"n": {"$ref": "urn:oceanway:contracts:Thing@2"}`, "/$defs/item/properties/n/$ref", "leads back"},
		// our keywords
		{`"x-sorted-by": ["name"]`, `"x-sorted-by": ["n"]`, "/properties/items/x-sorted-by/0", "requires as a string"},
		{`"n": {"const": 1}}, "required": ["name"]`, `"n": {"const": 1}}, "required": []`, "/properties/items/x-sorted-by/0", "requires as a string"},
		{`"x-unique-by": ["name"]`, `"x-unique-by": ["name", "other"]`, "/properties/items/x-unique-by/1", "requires as a string"},
		{`"items": {"$ref": "#/$defs/item"}`, `"items": {"type": "string"}`, "/properties/items/x-sorted-by", "not closed objects"},
		{`"x-quartets": ["of"]`, `"x-quartets": ["of", "by"]`, "/x-quartets/1", "byRef is not a property"},
		{`"required": ["digest", "kind"]`, `"required": ["digest", "kind", "ofRef"]`, "/x-quartets/0", "some are not"},
		{`"x-counts": {"itemCount": "items"}`, `"x-counts": {"number": "items"}`, "/x-counts/number", "not a property that is an integer"},
		{`"x-counts": {"itemCount": "items"}`, `"x-counts": {"kind": "items"}`, "/x-counts/kind", "not a property that is an integer"},
		{`"x-counts": {"itemCount": "items"}`, `"x-counts": {"itemCount": "kind"}`, "/x-counts/itemCount", "kind is not a property that is an array"},
		{`"x-equal": {"/name": "/choice/name"}`, `"x-equal": {"/name": "/choice/nobody"}`, "/x-equal", "/choice/nobody leads to no property"},
		{`"x-equal": {"/name": "/choice/name"}`, `"x-equal": {"name": "/choice/name"}`, "/x-equal/name", "not two different pointers"},
		{`"x-equal": {"/name": "/choice/name"}`, `"x-equal": {"/name": "/name"}`, "/x-equal/~1name", "not two different pointers"},
		// unions
		{`"enum": ["some", "more"]`, `"enum": ["some", "none"]`, "/properties/choice/oneOf/1", "chooses another branch already"},
		{`"state": {"enum": ["some", "more"]}`, `"state": {"type": "string"}`, "/properties/choice/oneOf/1", "neither const nor enum"},
		{`"required": ["state", "name"]`, `"required": ["name"]`, "/properties/choice/oneOf/1", "does not require state"},
		{`{"$ref": "#/$defs/none"}`, `{"type": "string"}`, "/properties/choice/oneOf/0", "not a closed object"},
		{`{"$ref": "#/$defs/none"}`, `{"type": "object"}`, "/properties/choice/oneOf/0", "not a closed object"},
		{`"x-discriminator": "state", `, ``, "/properties/choice/x-discriminator", "not a text"},
		{`"x-discriminator": "state", `, `"x-discriminator": "state", "type": "object", `, "/properties/choice/type", "not allowed"},
		// conditionals
		{`"required": ["kind"]}`, `"required": ["on"]}`, "/allOf/0/if/required", "has to require what it looks at: kind"},
		{`"kind": {"const": "a"}`, `"kind": {"const": "c"}`, "/allOf/0/if/properties/kind/const", "never has this value"},
		{`"kind": {"const": "a"}`, `"kind": {"type": "string"}`, "/allOf/0/if/properties/kind/type", "not allowed"},
		{`{"kind": {"const": "a"}}, "required": ["kind"]`, `{"kinds": {"const": "a"}}, "required": ["kinds"]`, "/allOf/0/if/properties/kinds", "is not a property"},
		{`"state": {"enum": ["some"]}`, `"state": {"enum": ["some", "any"]}`, "/allOf/0/then/properties/choice/properties/state/enum/1", "never has this value"},
		{`"then": {"required": ["name"]`, `"then": {"required": ["names"]`, "/allOf/0/then/required/0", "is not a property"},
		{`"state": {"enum": ["some"]}`, `"state": {"enum": ["some"]}}}, "note": {"properties": {"any": {"const": 1}}}, "on": {"const": true}, "name": {"properties": {"x": {"const": 1}`, "/allOf/0/then/properties/name/properties/x", "is not a property"},
		{`{"/name": "/note/any"}`, `{"/name": "/kind/any"}`, "/allOf/0/then/x-equal", "/kind/any leads to no property"},
		{`"required": ["kind"]},`, `"required": ["kind"], "x-equal": {"/kind": "/name"}},`, "/allOf/0/if/x-equal", "not allowed"},
		{`"allOf": [{"if"`, `"allOf": [{"else": {}, "if"`, "/allOf/0/else", "not allowed"},
		{`"allOf": [`, `"allOf": [{"required": ["kind"]},`, "/allOf/0", "with if and then"},
	} {
		wantFault(t, c.replacement, thing(t, c.old, c.replacement), "Thing@2.json", c.pointer, c.problem)
	}
}

func TestFilesThatAreNoSchemaAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, problem string }{
		"thing@1.json":  {`{}`, "name is not"},
		"Thing@01.json": {`{}`, "name is not"},
		"Thing.json":    {`{}`, "name is not"},
		"T@10000.json":  {`{}`, "name is not"},
		"NUL@1.json":    {`{"a": ["\u0000"]}`, "U+0000"},
		"Name@1.json":   {`{"\u0000": 1}`, "U+0000"},
		"T" + strings.Repeat("x", 128) + "@1.json": {`{}`, "name is not"},
		"List@1.json":  {`[]`, "not an object"},
		"Torn@1.json":  {`{"a":`, "canonical form"},
		"Twice@1.json": {`{} {}`, "canonical form"},
	} {
		wantFault(t, name, fstest.MapFS{name: &fstest.MapFile{Data: []byte(c.text)}}, name, "", c.problem)
	}
	folder := fstest.MapFS{"Text@1.json": file("Text@1", `"type": "string"`)}
	wantFault(t, "a text as root", folder, "Text@1.json", "", "neither a closed object nor a union")
	folder = fstest.MapFS{"Bare@1.json": file("Bare@1", `"$defs": {}`)}
	wantFault(t, "no definitions", folder, "Bare@1.json", "/$defs", "with members")
}

func TestOneMistakeIsToldOnce(t *testing.T) {
	for _, c := range []struct{ old, replacement, want string }{
		{`"description": "For this test.", `, ``, "Thing@2.json /description: is missing"},
		{`"For this test."`, `""`, "Thing@2.json /description: is not a text"},
		{`"minimum": -1, `, ``, "Thing@2.json /properties/itemCount/minimum: is missing: every integer is bounded"},
		{`"minimum": -1, "maximum": 9007199254740991`, `"minimum": 1`, "Thing@2.json /properties/itemCount/maximum: is missing: every integer is bounded"},
		{`"maximum": 9007199254740991`, `"maximum": -1e1`, "Thing@2.json /properties/itemCount/maximum: is not an integer within 2^53-1"},
	} {
		if _, err := schema.Load(thing(t, c.old, c.replacement)); err == nil || err.Error() != c.want {
			t.Errorf("%s: got\n%v\nwant\n%s", c.old, err, c.want)
		}
	}
}

func TestAllFaultsAreTold(t *testing.T) {
	folder := thing(t, `{"type": "boolean"}`, `{"type": "number"}`).(fstest.MapFS)
	folder["Bare@1.json"] = file("Bare@1", `"$defs": {}`)
	wantFault(t, "two files", folder, "Thing@2.json", "/properties/on/type", "none of")
	wantFault(t, "two files", folder, "Bare@1.json", "/$defs", "with members")
}

func TestKnownSchemasCanBeReferredToAndNotReplaced(t *testing.T) {
	known := map[string][]byte{}
	for name, file := range sound() {
		known[strings.TrimSuffix(name, ".json")] = file.Data
	}
	refers := file("Basket@1", `"type": "object", "additionalProperties": false, "required": [],
		"properties": {"name": {"$ref": "urn:oceanway:contracts:Common@1#/$defs/alias"}, "of": {"$ref": "urn:oceanway:contracts:Thing@2"}}`)
	set, err := schema.LoadBeside(known, fstest.MapFS{"Basket@1.json": refers})
	if err != nil || !slices.Equal(set.Uses("Basket@1"), []string{"Common@1", "Thing@2"}) {
		t.Fatalf("got %v, %v", set, err)
	}
	_, err = schema.LoadBeside(known, fstest.MapFS{
		"Basket@1.json": refers, "Common@1.json": sound()["Common@1.json"], "Thing@3.json": file("Thing@3", `"$defs": {}`),
	})
	const want = `Common@1.json: the name Common is taken by a schema that is known already
Thing@3.json: the name Thing is taken by a schema that is known already`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
