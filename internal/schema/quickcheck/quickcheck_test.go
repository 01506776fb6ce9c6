package quickcheck_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/oceanway/outbox/internal/schema"
	"github.com/oceanway/outbox/internal/schema/quickcheck"
)

// compile gives the predicate for an object with the properties a and b, of which a is required; more
// goes into the object, and into the root.
func compile(t *testing.T, a, b, more, root string) string {
	t.Helper()
	folder := fstest.MapFS{"Thing@1.json": &fstest.MapFile{Data: fmt.Appendf(nil, `{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:oceanway:contracts:Thing@1", "title": "Thing@1",
		"description": "For this test.", "x-nfc": true, "type": "object", "required": ["a"], "additionalProperties": false,
		"properties": {"a": %s, "b": %s}%s%s}`, a, b, more, root)}}
	set, err := schema.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	thing, _ := set.Schema("Thing@1")
	return quickcheck.Compile(thing.Root)
}

const closed = ` && !exists($.keyvalue().key ? (!(@ == "a" || @ == "b")))`

// What PostgreSQL makes of these is tested with a database; here it is what is asked for.
func TestPredicateOfEachKindOfNode(t *testing.T) {
	const b = `($."b".type() == "boolean" || (exists($."b")) is unknown)` + closed
	for node, want := range map[string]string{
		`{"const": "x\"\\y"}`:       `$."a" == "x\"\\y"`,
		`{"const": 7}`:              `$."a" == 7`,
		`{"const": true}`:           `$."a" == true`,
		`{"enum": ["x", "y"]}`:      `($."a" == "x" || $."a" == "y")`,
		`{"enum": ["x", "y", "z"]}`: `exists($."a" ? ((@ == "x" || @ == "y" || @ == "z")))`,
		`{"type": "object"}`:        `$."a".type() == "object"`,
		`{"type": "integer", "minimum": -1, "maximum": 5}`: `exists($."a" ? (@ >= -1 && @ <= 5 && @ % 1 == 0))`,
		`{"type": "array", "items": {"const": 1}, "minItems": 1, "maxItems": 3}`: `exists($."a" ? (@.size() >= 1 && @.size() <= 3 && ` +
			`!exists(@[*] ? (!exists(@ ? (@ == 1))))))`,
		`{"type": "array", "items": {"const": 1}, "maxItems": 3}`: `exists($."a" ? (@.size() <= 3 && !exists(@[*] ? (!exists(@ ? (@ == 1))))))`,
		`{"type": "object", "properties": {"c": {"const": 1}}, "required": ["c"], "additionalProperties": false}`: `exists($."a" ? (@."c" == 1 && ` +
			`!exists(@.keyvalue().key ? (!(@ == "c")))))`,
		`{"type": "object", "properties": {}, "required": [], "additionalProperties": false}`: `!exists($."a".keyvalue())`,
	} {
		if got := compile(t, node, `{"type": "boolean"}`, "", ""); got != "strict "+want+" && "+b {
			t.Errorf("%s compiles to\n%s", node, got)
		}
	}
}

func TestPredicateOfTexts(t *testing.T) {
	const s = ` flag "s"`
	for keywords, want := range map[string]string{
		``:                                 `@.type() == "string"`,
		`, "minLength": 1`:                 `@ like_regex ".{1}"` + s,
		`, "maxLength": 9`:                 `!(@ like_regex ".{10}"` + s + `)`,
		`, "maxLength": 254`:               `!(@ like_regex ".{255}"` + s + `)`,
		`, "maxLength": 300`:               `!(@ like_regex ".{255}"` + s + `)`,
		`, "minLength": 2, "maxLength": 3`: `@ like_regex ".{2}"` + s + ` && !(@ like_regex ".{4}"` + s + `)`,
		`, "minLength": 255`:               `1 == 0`,
		`, "pattern": "^[\u0001\u007fx]+[.]\\\\$"`:    `@ like_regex "^[\u0001\u007fx]+[.]\\\\$"` + s,
		`, "pattern": "^[a-f]{64}$"`:                  `@ like_regex "^[a-f]+$"` + s + ` && @ like_regex ".{64}"` + s + ` && !(@ like_regex ".{65}"` + s + `)`,
		`, "pattern": "^[a-f]{64}$", "maxLength": 64`: `@ like_regex "^[a-f]+$"` + s + ` && @ like_regex ".{64}"` + s + ` && !(@ like_regex ".{65}"` + s + `)`,
		`, "pattern": "^[a-f]{64}$", "maxLength": 60`: `@ like_regex "^[a-f]+$"` + s + ` && @ like_regex ".{64}"` + s + ` && !(@ like_regex ".{61}"` + s + `)`,
		`, "pattern": "^[a-f]{3}$"`:                   `@ like_regex "^[a-f]{3}$"` + s,
		`, "pattern": "^[a-f]{3}$", "maxLength": 3`:   `@ like_regex "^[a-f]{3}$"` + s,
		`, "pattern": "^[a-f]*$", "minLength": 1`:     `@ like_regex "^[a-f]+$"` + s,
		`, "pattern": "^[a-f]*$", "minLength": 2`:     `@ like_regex "^[a-f]*$"` + s + ` && @ like_regex ".{2}"` + s,
		`, "pattern": "^x[a-f]*$", "minLength": 1`:    `@ like_regex "^x[a-f]*$"` + s,
		`, "pattern": "^[a-z][a-z_]{0,127}$"`:         `@ like_regex "^[a-z][a-z_]*$"` + s + ` && !(@ like_regex ".{129}"` + s + `)`,
		`, "pattern": "^[a-z]{0,127}$"`:               `@ like_regex "^[a-z]*$"` + s + ` && !(@ like_regex ".{128}"` + s + `)`,
		`, "pattern": "^[a-z]{2,127}x$"`:              `@ like_regex "^[a-z]+x$"` + s + ` && @ like_regex ".{3}"` + s + ` && !(@ like_regex ".{129}"` + s + `)`,
		`, "pattern": "^(ab|cd)([.][0-9]{1,9})?Z$"`:   `@ like_regex "^(ab|cd)([.][0-9]+)?Z$"` + s + ` && !(@ like_regex ".{14}"` + s + `)`,
		`, "pattern": "^(a|cd)([.][0-9]{1,9})?Z$"`:    `@ like_regex "^(a|cd)([.][0-9]{1,9})?Z$"` + s,
		`, "pattern": "^ab([.][0-9]{2,9})?Z$"`:        `@ like_regex "^ab([.][0-9]{2,9})?Z$"` + s,
		`, "pattern": "^[a-z]{1,9}[0-9]{1,9}$"`:       `@ like_regex "^[a-z]{1,9}[0-9]{1,9}$"` + s,
		`, "pattern": "^(a{1,9})+$"`:                  `@ like_regex "^(a{1,9})+$"` + s,
		`, "pattern": "^[a-z]{1,255}$"`:               `@ like_regex "^[a-z]{1,255}$"` + s,

		`, "x-decimal": {"precision": 38, "scale": 18, "signed": false}`: `@ like_regex "^(0|[1-9][0-9]{0,19})([.][0-9]{0,17}[1-9])?$"` + s,
		`, "x-decimal": {"precision": 5, "scale": 2, "signed": true}`:    `@ like_regex "^(0|-?(0[.][0-9]{0,1}[1-9]|[1-9][0-9]{0,2}([.][0-9]{0,1}[1-9])?))$"` + s,
		`, "x-decimal": {"precision": 2, "scale": 1, "signed": false}`:   `@ like_regex "^(0|[1-9])([.][1-9])?$"` + s,
		`, "x-decimal": {"precision": 2, "scale": 0, "signed": true}`:    `@ like_regex "^(0|-?[1-9][0-9]{0,1})$"` + s,
		`, "x-decimal": {"precision": 2, "scale": 0, "signed": false}`:   `@ like_regex "^(0|[1-9][0-9]{0,1})$"` + s,
	} {
		got := compile(t, `{"type": "string"`+keywords+`}`, `{"const": 1}`, "", "")
		part, _, _ := strings.Cut(strings.TrimPrefix(got, `strict `), ` && ($."b" == 1`)
		if inner, ok := strings.CutPrefix(part, `exists($."a" ? (`); ok {
			part = strings.TrimSuffix(inner, "))")
		} else {
			part = strings.ReplaceAll(part, `$."a"`, "@")
		}
		if part != want {
			t.Errorf("%s compiles to\n%s", keywords, part)
		}
	}
}

func TestPredicateOfUnions(t *testing.T) {
	union := `{"x-discriminator": "s", "oneOf": [
		{"type": "object", "properties": {"s": {"const": "one"}}, "required": ["s"], "additionalProperties": false},
		{"type": "object", "properties": {"n": {"const": 1}, "s": {"enum": ["two", "three"]}}, "required": ["s"], "additionalProperties": false}]}`
	want := `strict exists($."a" ? (((@."s" == "one" && !exists(@.keyvalue().key ? (!(@ == "s")))) || ` +
		`((@."s" == "two" || @."s" == "three") && (@."n" == 1 || (exists(@."n")) is unknown) && !exists(@.keyvalue().key ? (!(@ == "n" || @ == "s")))))))`
	if got, _, _ := strings.Cut(compile(t, union, `{"type": "object"}`, "", ""), ` && ($."b"`); got != want {
		t.Errorf("compiles to\n%s", got)
	}
}

func TestPredicateOfKeywords(t *testing.T) {
	const text, list = `{"type": "string"}`, `{"type": "array", "items": {"const": 1}, "maxItems": 3}`
	const absentA, absentB = `(exists($."a")) is unknown`, `(exists($."b")) is unknown`
	for _, c := range []struct{ a, b, more, want string }{
		{text, text, `, "x-equal": {"/a": "/b"}`, `($."a" == $."b" || ` + absentA + ` || ` + absentB + `)`},
		{list, list, `, "x-equal": {"/a": "/b"}`, `(1 == 0 || ` + absentA + ` || ` + absentB + `)`},
		{`{"$ref": "#/$defs/o"}`, `{"$ref": "#/$defs/o"}`, `, "x-equal": {"/a": "/b"}`,
			`(($."a"."n" == $."b"."n" || ((exists($."a"."n")) is unknown && (exists($."b"."n")) is unknown)) || ` + absentA + ` || ` + absentB + `)`},
		{`{"type": "integer", "minimum": 0, "maximum": 9}`, list, `, "x-counts": {"a": "b"}`,
			`($."a" == $."b".size() || ` + absentA + ` || ` + absentB + `)`},
		{text, text, `, "allOf": [{"if": {"properties": {"a": {"const": "x"}}, "required": ["a"]}, "then": {"required": ["b"]}}]`,
			`(!exists($ ? (@."a" == "x")) || exists($."b"))`},
		{text, text, `, "allOf": [{"if": {"required": ["b"]}, "then": {"properties": {"b": {"enum": ["x", "y"]}}}}]`,
			`(!exists($ ? (exists(@."b"))) || (($."b" == "x" || $."b" == "y") || ` + absentB + `))`},
		// a condition that a value of another kind fulfils is not judged: what follows from it is wanted anyway
		{`{"type": "object"}`, text, `, "allOf": [{"if": {"properties": {"a": {"properties": {"m": {"required": ["n"]}}, "required": ["m"]}}, "required": ["a"]},
			"then": {"required": ["b"]}}]`, ` && exists($."b") && !exists(`},
		{`{"type": "object"}`, text, `, "allOf": [{"if": {"properties": {"a": {"properties": {"m": {"const": 1}}, "required": ["m"]}}, "required": ["a"]},
			"then": {"required": ["b"]}}]`, `(!exists($ ? (@."a"."m" == 1)) || exists($."b"))`},
	} {
		got := compile(t, c.a, c.b, c.more,
			`, "$defs": {"o": {"type": "object", "properties": {"n": {"const": 1}}, "required": [], "additionalProperties": false}}`)
		if !strings.Contains(got, c.want) {
			t.Errorf("%s compiles to\n%s", c.more, got)
		}
	}
}

func TestArraysWhoseOrderCountsHaveOneItem(t *testing.T) {
	const item = `{"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"], "additionalProperties": false}`
	for _, keyword := range []string{"x-sorted-by", "x-unique-by"} {
		got := compile(t, `{"type": "array", "items": `+item+`, "maxItems": 9, "`+keyword+`": ["k"]}`, `{"type": "boolean"}`, "", "")
		if !strings.Contains(got, `@.size() <= 1 && `) {
			t.Errorf("%s compiles to\n%s", keyword, got)
		}
	}
}

func TestOptionalQuartetsAreAllThereOrAllAbsent(t *testing.T) {
	quartet := `, "x-quartets": ["a"]`
	text := `{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:oceanway:contracts:Thing@1", "title": "Thing@1",
		"description": "For this test.", "x-nfc": true, "type": "object", "required": [], "additionalProperties": false, "properties": {
		"aDigest": {"const": "1"}, "aDigestAlgorithmVersion": {"const": "2"}, "aRef": {"const": "3"}, "aSchemaVersion": {"const": "4"}}` + quartet + `}`
	set, err := schema.Load(fstest.MapFS{"Thing@1.json": &fstest.MapFile{Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	thing, _ := set.Schema("Thing@1")
	want := `(($."aRef" == "3" && $."aSchemaVersion" == "4" && $."aDigestAlgorithmVersion" == "2" && $."aDigest" == "1") || ` +
		`((exists($."aRef")) is unknown && (exists($."aSchemaVersion")) is unknown && (exists($."aDigestAlgorithmVersion")) is unknown && (exists($."aDigest")) is unknown))`
	if got := quickcheck.Compile(thing.Root); !strings.HasPrefix(got, "strict "+want+" && !exists($.keyvalue()") {
		t.Errorf("compiles to\n%s", got)
	}
}

// PostgreSQL keeps 32 compiled expressions, of which its functions need some.
func TestTheReleaseNeedsFewExpressions(t *testing.T) {
	set, err := schema.Load(os.DirFS("../../../contracts/schemas"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, name := range set.Names() {
		if s, _ := set.Schema(name); s.Root != nil {
			all = append(all, regexp.MustCompile(`like_regex "([^"\\]|\\.)*"`).FindAllString(quickcheck.Compile(s.Root), -1)...)
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > 20 {
		t.Errorf("%d expressions:\n%s", len(all), strings.Join(all, "\n"))
	}
}
