package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// withSchema adds a schema whose root is a node, beside more members.
func withSchema(t *testing.T, root, name, node string) {
	t.Helper()
	write(t, root, "contracts/schemas/"+name+".json", fmt.Sprintf(`{"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id": "urn:oceanway:contracts:%s", "title": "%s", "description": "It's for */ a test.", "x-nfc": true, %s}`, name, name, node))
}

func closed(required, properties string) string {
	return `"type": "object", "additionalProperties": false, "required": [` + required + `], "properties": {` + properties + `}`
}

// fruit has everything that types are made of, but for any object.
func fruit() string {
	return closed(`"id", "kinds", "stem", "ripe"`, `
		"id": {"$ref": "urn:oceanway:contracts:CommonTypes@1#/$defs/name", "description": "Its name"},
		"kinds": {"type": "array", "maxItems": 9, "items": {"enum": ["sweet", "<sour>"]}},
		"seedIds": {"type": "array", "maxItems": 9, "items": {"$ref": "#/$defs/seed"}},
		"note": {"type": "string"}, "code": {"type": "string", "minLength": 1}, "price": {"type": "string", "x-decimal": {"precision": 9, "scale": 2, "signed": false}},
		"ripe": {"type": "boolean"}, "weight": {"type": "integer", "minimum": 0, "maximum": 9}, "revision": {"const": 1},
		"stem": {"description": "Which one?", "x-discriminator": "state", "oneOf": [{"$ref": "#/$defs/none"},
			{"type": "object", "additionalProperties": false, "required": ["of", "state", "part", "length"], "properties": {
				"of": {"const": "tree"}, "state": {"enum": ["long", "short"]}, "length": {"const": 7}, "part": {"$ref": "#/$defs/seed"}}},
			{"type": "object", "additionalProperties": false, "required": ["of", "state", "part"], "properties": {
				"of": {"const": "tree"}, "state": {"const": "cut"}, "part": {"$ref": "#/$defs/none"}}}]}`) + `,
		"$defs": {
			"seed": {"description": "Grows.", ` + closed(`"of", "state", "mark"`, `"mark": {"const": true}, "of": {"const": "fruit"}, "state": {"const": "seed"}, "size": {"type": "integer", "minimum": 1, "maximum": 2}`) + `},
			"none": {` + closed(`"of", "state"`, `"of": {"const": "fruit"}, "state": {"const": "none"}`) + `}}`
}

func TestGoStructs(t *testing.T) {
	t.Parallel()
	root := tree(t)
	withSchema(t, root, "Fruit@2", fruit())
	mustGenerate(t, root)
	want := generatedMark + `
package wire

// FruitV2 is Fruit@2. It's for */ a test.
type FruitV2 struct {
	// Its name.
	ID      string        ` + "`json:\"id\"`" + `
	Kinds   []string      ` + "`json:\"kinds\"`" + `
	SeedIds []FruitSeedV2 ` + "`json:\"seedIds,omitzero\"`" + `
	Note    *string       ` + "`json:\"note,omitempty\"`" + `
	Code    string        ` + "`json:\"code,omitempty\"`" + `
	Price   string        ` + "`json:\"price,omitempty\"`" + `
	Ripe    bool          ` + "`json:\"ripe\"`" + `
	Weight  *int64        ` + "`json:\"weight,omitempty\"`" + `
	// Always 1.
	Revision *int64 ` + "`json:\"revision,omitempty\"`" + `
	// Which one?
	Stem FruitV2Stem ` + "`json:\"stem\"`" + `
}

// FruitSeedV2 is seed of Fruit@2. Grows.
type FruitSeedV2 struct {
	// Always true.
	Mark bool ` + "`json:\"mark\"`" + `
	// Always "fruit".
	Of string ` + "`json:\"of\"`" + `
	// Always "seed".
	State string ` + "`json:\"state\"`" + `
	Size  *int64 ` + "`json:\"size,omitempty\"`" + `
}

// FruitV2Stem is stem of FruitV2. Which one? State tells which members it has.
type FruitV2Stem struct {
	// One of "fruit" and "tree".
	Of string ` + "`json:\"of\"`" + `
	// One of "none", "long", "short" and "cut".
	State string ` + "`json:\"state\"`" + `
	// Always 7. Where State is "long" or "short".
	Length *int64 ` + "`json:\"length,omitempty\"`" + `
	// Where State is "long", "short" or "cut".
	Part *FruitV2StemPart ` + "`json:\"part,omitempty\"`" + `
}

// FruitV2StemPart is part of FruitV2Stem. State tells which members it has.
type FruitV2StemPart struct {
	// Always true. Where State is "seed".
	Mark *bool ` + "`json:\"mark,omitempty\"`" + `
	// Always "fruit".
	Of string ` + "`json:\"of\"`" + `
	// One of "seed" and "none".
	State string ` + "`json:\"state\"`" + `
	// Where State is "seed".
	Size *int64 ` + "`json:\"size,omitempty\"`" + `
}
`
	if got := read(t, root, "contracts/wire/fruit_v2_gen.go"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAnyObjectStaysJSON(t *testing.T) {
	t.Parallel()
	root := tree(t)
	withSchema(t, root, "Pear@1", closed(`"core"`, `"core": {"type": "object"}, "peel": {"type": "object"},
		"seeds": {"type": "array", "maxItems": 9, "items": {"type": "object"}}`))
	mustGenerate(t, root)
	want := generatedMark + `
package wire

import "encoding/json"

// Pear is Pear@1. It's for */ a test.
type Pear struct {
	Core  json.RawMessage   ` + "`json:\"core\"`" + `
	Peel  json.RawMessage   ` + "`json:\"peel,omitempty\"`" + `
	Seeds []json.RawMessage ` + "`json:\"seeds,omitzero\"`" + `
}
`
	if got := read(t, root, "contracts/wire/pear_gen.go"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEveryStructIsKnownByItsSchema(t *testing.T) {
	t.Parallel()
	root := tree(t)
	withSchema(t, root, "EventEnvelope@1", closed("", ""))
	addSchema(t, root, "Apple@2")
	mustGenerate(t, root)
	const want = `
	switch schema {
	case "Apple@1":
		return new(Apple)
	case "Apple@2":
		return new(AppleV2)
	case "DeliverySetDefinition@1":
		return new(DeliverySetDefinition)
	}
	return nil
}
`
	if got := read(t, root, "contracts/wire/new_gen.go"); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTypeScriptTypes(t *testing.T) {
	t.Parallel()
	root := tree(t)
	withSchema(t, root, "Fruit@2", fruit())
	withSchema(t, root, "EventEnvelope@1", closed(`"payload"`, `"payload": {"type": "object"}`))
	mustGenerate(t, root)
	got := read(t, root, "contracts/typescript/src/contracts.ts")
	for _, part := range []string{
		generatedMark + "\nimport type { JsonObject } from \"./canonical.js\";\n",
		"\nexport type Name = string;\n",
		"\n/** EventEnvelope@1. It's for * / a test. */\nexport type EventEnvelope = {\n  readonly payload: JsonObject;\n};\n",
		"\n/** Grows. */\nexport type FruitSeedV2 = {\n  readonly mark: true;\n  readonly of: \"fruit\";\n  readonly state: \"seed\";\n  readonly size?: number;\n};\n",
		`export type FruitV2 = {
  /** Its name */
  readonly id: Name;
  readonly kinds: ReadonlyArray<"sweet" | "\u003csour\u003e">;
  readonly seedIds?: ReadonlyArray<FruitSeedV2>;
  readonly note?: string;
  readonly code?: string;
  readonly price?: string;
  readonly ripe: boolean;
  readonly weight?: number;
  readonly revision?: 1;
  /** Which one? */
  readonly stem:
    | FruitNoneV2
    | {
        readonly of: "tree";
        readonly state: "long" | "short";
        readonly length: 7;
        readonly part: FruitSeedV2;
      }
    | {
        readonly of: "tree";
        readonly state: "cut";
        readonly part: FruitNoneV2;
      };
};
`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%s\ndoes not hold\n%s", got, part)
		}
	}
	got = read(t, root, "contracts/typescript/src/namespaces.ts")
	for _, part := range []string{
		"import type {\n  Apple,\n} from", "  readonly apple: Apple;\n",
		"  /** An apple's name. */\n  apple: {\n    id: \"81227f4d-6881-4601-8254-88c2bd8edfa4\",\n    candidateSchema: \"Apple@1\",\n  },\n",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%s\ndoes not hold\n%s", got, part)
		}
	}
}

func TestTheFileOfNoSchemaGoes(t *testing.T) {
	t.Parallel()
	root := tree(t)
	write(t, root, "contracts/wire/pear_gen.go", "package wire")
	write(t, root, "contracts/wire/doc.go", "package wire")
	mustGenerate(t, root)
	if read(t, root, "contracts/wire/pear_gen.go") != "" || read(t, root, "contracts/wire/doc.go") == "" {
		t.Error("the file of no schema stays, or a file by hand does not")
	}
}

func TestWhatHasNoTypeIsRefused(t *testing.T) {
	t.Parallel()
	either := func(first, second string) string {
		return `"x-discriminator": "kind", "oneOf": [
			{` + closed(`"kind"`, `"kind": {"const": "a"}, "part": `+first) + `},
			{` + closed(`"kind"`, `"kind": {"const": "b"}, "part": `+second) + `}]`
	}
	plain := `{"type": "object", "additionalProperties": false, "required": ["a"], "properties": {"a": {"type": "string"}}}`
	for name, c := range map[string]struct{ schema, node, problem string }{
		"one name with New":    {"New@1", closed("", ""), "the function New and New@1 would both become the type New"},
		"two kinds":            {"Pear@1", either(`{"type": "string"}`, `{"const": 1}`), "Pear@1: part is a string as well as a int64"},
		"shapes alike":         {"Pear@1", either(plain, plain), "Pear@1/part: no member tells its shapes apart"},
		"written by hand":      {"Pear@1", closed("", `"a": {"$ref": "urn:oceanway:contracts:EventEnvelope@1"}`), "EventEnvelope@1 is written by hand"},
		"one name in both":     {"Name@1", closed("", ""), "would both become the type Name"},
		"one name for structs": {"Pear@1", closed("", `"a": {"$ref": "urn:oceanway:contracts:PearB@1"}, "b": `+plain), "would both become the type PearB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tree(t)
			withSchema(t, root, "EventEnvelope@1", closed("", ""))
			withSchema(t, root, "PearB@1", closed("", ""))
			withSchema(t, root, c.schema, c.node)
			wantError(t, generate(root, io.Discard, io.Discard), c.problem)
		})
	}
}
