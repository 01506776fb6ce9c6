package contracts_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/oceanway/outbox/contracts"
)

// load makes a registry of one schema, given without its head, and of the definitions beside it.
func load(t testing.TB, schema string) *contracts.Registry {
	t.Helper()
	head := `{"$schema":"https://json-schema.org/draft/2020-12/schema","x-nfc":true,"$id":"urn:oceanway:contracts:`
	r, err := contracts.LoadFrom(fstest.MapFS{
		"schemas/Case@1.json": {Data: []byte(head + `Case@1",` + schema + `}`)},
		"schemas/Types@1.json": {Data: []byte(head + `Types@1","$defs":{
			"text":{"type":"string","minLength":1,"maxLength":3},"pear":{"const":"pear"},
			"pearBranch":{"type":"object","properties":{"kind":{"$ref":"#/$defs/pear"}},"required":["kind"],"additionalProperties":false}}}`)},
		"namespaces.json": {Data: []byte(`[{"namespace":"space","namespaceId":"00000000-0000-0000-0000-0000000000ff","candidateSchema":"Case@1","description":"d"}]`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// judged gives the violations of a document as "path rule" in one line.
func judged(t testing.TB, r *contracts.Registry, document string) string {
	t.Helper()
	violations, err := r.Validate("Case@1", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	found := make([]string, len(violations))
	for i, v := range violations {
		found[i] = v.Path + " " + v.Rule
		if v.Detail == "" || strings.Contains(v.Detail, "secret") {
			t.Errorf("%s: the detail is %q", document, v.Detail)
		}
	}
	return strings.Join(found, ", ")
}

func checkAll(t *testing.T, schema string, cases map[string]string) {
	t.Helper()
	r := load(t, schema)
	for document, want := range cases {
		if got := judged(t, r, document); got != want {
			t.Errorf("%s:\n got %s\nwant %s", document, got, want)
		}
	}
}

func TestEachNodeHasItsRules(t *testing.T) {
	checkAll(t, `"type":"object","additionalProperties":false,"required":["text","integer"],"properties":{
		"text":{"type":"string","minLength":2,"maxLength":3,"pattern":"^[a-z😀]*$"},"integer":{"type":"integer","minimum":-1,"maximum":10},
		"boolean":{"type":"boolean"},"const":{"const":"x"},"one":{"const":1},"yes":{"const":true},"enum":{"enum":["a","b"]},
		"array":{"type":"array","items":{"$ref":"urn:oceanway:contracts:Types@1#/$defs/text"},"minItems":1,"maxItems":2},
		"open":{"type":"object"},"local":{"$ref":"#/$defs/closed"}},
		"$defs":{"closed":{"type":"object","properties":{"a~/b":{"type":"string"}},"required":["a~/b"],"additionalProperties":false}}`,
		map[string]string{
			`{"text":"ab","integer":1.0}`:           "",
			`{"text":"😀😀😀","integer":10}`:           "",
			`{"text":"ab","integer":1.0,"one":1e0}`: "",
			`{"text":"ab","integer":0,"boolean":true,"const":"x","one":1,"yes":true,"enum":"b","array":["a"],"open":{"x":[null]},"local":{"a~/b":""}}`: "",
			`[]`:                              " type_is_right",
			`null`:                            " type_is_right",
			`{}`:                              "/integer member_is_present, /text member_is_present",
			`{"text":null,"integer":"1"}`:     "/integer type_is_right, /text type_is_right",
			`{"text":"ab","integer":1.5}`:     "/integer type_is_right",
			`{"text":"SECRETS","integer":-2}`: "/integer number_within_bounds, /text text_length_within_bounds, /text text_matches_pattern",
			`{"text":"😀","integer":11}`:       "/integer number_within_bounds, /text text_length_within_bounds",
			`{"text":"ab","integer":1,"boolean":1,"const":"y","one":"1","yes":false,"enum":"c"}`: "/boolean type_is_right, /const value_is_expected, " +
				"/enum value_is_listed, /one value_is_expected, /yes value_is_expected",
			`{"text":"ab","integer":1,"const":1,"enum":null}`:               "/const value_is_expected, /enum value_is_listed",
			`{"text":"ab","integer":1,"array":[],"open":[]}`:                "/array array_length_within_bounds, /open type_is_right",
			`{"text":"ab","integer":1,"array":["",1,"long"]}`:               "/array array_length_within_bounds",
			`{"text":"ab","integer":1,"local":{},"z/~":1,"a":"secret"}`:     "/a member_is_known, /local/a~0~1b member_is_present, /z~1~0 member_is_known",
			`{"text":"ab","integer":1,"local":{"a~/b":1}}`:                  "/local/a~0~1b type_is_right",
			`{"text":"ab","integer":1,"` + strings.Repeat("é", 70) + `":1}`: "/" + strings.Repeat("é", 64) + " member_is_known",
		})
}

func TestUnionsAreJudgedByTheBranchTheyPick(t *testing.T) {
	checkAll(t, `"oneOf":[
		{"type":"object","properties":{"kind":{"const":"apple"},"size":{"type":"integer","minimum":1,"maximum":3}},"required":["kind","size"],"additionalProperties":false},
		{"$ref":"urn:oceanway:contracts:Types@1#/$defs/pearBranch"},
		{"type":"object","properties":{"kind":{"enum":["fig","date"]},"inner":{"$ref":"#/$defs/inner"}},"required":["kind"],"additionalProperties":false}],
		"x-discriminator":"kind",
		"$defs":{"inner":{"oneOf":[{"type":"object","properties":{"state":{"const":"raw"}},"required":["state"],"additionalProperties":false}],"x-discriminator":"state"}}`,
		map[string]string{
			`{"kind":"apple","size":1}`:               "",
			`{"kind":"pear"}`:                         "",
			`{"kind":"date","inner":{"state":"raw"}}`: "",
			`"apple"`:                                         " type_is_right",
			`{"size":"secret"}`:                               "/kind member_is_present",
			`{"kind":"secret","size":"x"}`:                    "/kind branch_is_known",
			`{"kind":null}`:                                   "/kind branch_is_known",
			`{"kind":"apple","size":4,"inner":1}`:             "/inner member_is_known, /size number_within_bounds",
			`{"kind":"pear","size":"secret"}`:                 "/size member_is_known",
			`{"kind":"fig","inner":{"state":"dry"},"x":null}`: "/inner/state branch_is_known, /x member_is_known",
			`{"kind":"fig","inner":{}}`:                       "/inner/state member_is_present",
			`{"kind":"fig","inner":7}`:                        "/inner type_is_right",
		})
}

func TestConditions(t *testing.T) {
	checkAll(t, `"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"},
		"in":{"type":"object","properties":{"c":{"type":"string"},"d":{"type":"string"}},"required":[],"additionalProperties":false}},
		"allOf":[
		{"if":{"properties":{"a":{"const":"x"}},"required":["a"]},"then":{"required":["b"],"properties":{"in":{"required":["c"],"properties":{"c":{"enum":["1","2"]}}}}}},
		{"if":{"properties":{"in":{"properties":{"c":{"const":"1"}},"required":["c"]}},"required":["in"]},"then":{"properties":{"a":{"const":"x"}},"x-equal":{"/a":"/in/d"}}}]`,
		map[string]string{
			`{"a":"y"}`: "", `{"a":"y","in":{"c":"9"}}`: "", `{"a":"x","b":"","in":{"c":"1","d":"x"}}`: "", `{"a":"x","b":"","in":{"c":"1"}}`: "",
			`{"a":"x"}`:                               "/b member_is_present",
			`{"a":"x","in":{}}`:                       "/b member_is_present, /in/c member_is_present",
			`{"a":"x","b":"","in":{"c":"3"}}`:         "/in/c value_is_listed",
			`{"a":"y","in":{"c":"1","d":"z"}}`:        "/a members_are_equal, /a value_is_expected",
			`{"a":"x","b":"","in":{"c":"1","d":"y"}}`: "/a members_are_equal",
			`{"a":"x","b":1}`:                         "/b type_is_right",
			`{"in":7}`:                                "/a member_is_present, /in type_is_right",
		})
}

func TestQuartetsCountsAndEquality(t *testing.T) {
	const text = `{"type":"string"}`
	four := func(p string) string {
		return fmt.Sprintf(`"%[1]sRef":%[2]s,"%[1]sSchemaVersion":%[2]s,"%[1]sDigestAlgorithmVersion":%[2]s,"%[1]sDigest":%[2]s`, p, text)
	}
	checkAll(t, `"type":"object","additionalProperties":false,"properties":{`+four("a")+`,`+four("b")+`,
		"n":{"type":"integer","minimum":0,"maximum":2},"items":{"type":"array","items":{"type":"boolean"}},"o":{"type":"object"},"p":{"type":"object"}},
		"required":["aRef","aSchemaVersion","aDigestAlgorithmVersion","aDigest"],
		"x-quartets":["a","b"],"x-counts":{"n":"items"},"x-equal":{"/o/x":"/p/y"}`,
		map[string]string{
			`{}`: "/aDigest member_is_present, /aDigestAlgorithmVersion member_is_present, /aRef member_is_present, /aSchemaVersion member_is_present",
			`{"aRef":"","bDigest":""}`: "/aDigest quartet_is_complete, /aDigestAlgorithmVersion quartet_is_complete, /aSchemaVersion quartet_is_complete, " +
				"/bDigestAlgorithmVersion quartet_is_complete, /bRef quartet_is_complete, /bSchemaVersion quartet_is_complete",
			whole(``):                                                    "",
			whole(`,"n":2,"items":[true,false]`):                         "",
			whole(`,"n":2e0,"items":[true,false]`):                       "",
			whole(`,"n":1,"items":[true,false]`):                         "/n count_equals_length",
			whole(`,"n":-1,"items":[]`):                                  "/n count_equals_length, /n number_within_bounds",
			whole(`,"n":"1","items":[]`):                                 "/n type_is_right",
			whole(`,"n":1.5,"items":[]`):                                 "/n count_equals_length, /n type_is_right",
			whole(`,"n":1,"items":{}`):                                   "/items type_is_right",
			whole(`,"n":1`):                                              "",
			whole(`,"items":[true]`):                                     "",
			whole(`,"o":{"x":{"a":[1.0,"b"]}},"p":{"y":{"a":[1,"b"]}}`):  "",
			whole(`,"o":{"x":{"a":[1.0,"b"]}},"p":{"y":{"a":[-1,"b"]}}`): "/o/x members_are_equal",
			whole(`,"o":{"x":{"a":1}},"p":{"y":{"b":1}}`):                "/o/x members_are_equal",
			whole(`,"o":{"x":[1]},"p":{"y":[1,1]}`):                      "/o/x members_are_equal",
			whole(`,"o":{"x":1},"p":{"y":"1"}`):                          "/o/x members_are_equal",
			whole(`,"o":{"x":null},"p":{"y":null}`):                      "",
			whole(`,"o":{"x":0},"p":{"y":-0}`):                           "",
			whole(`,"o":{},"p":{"y":1}`):                                 "",
			whole(`,"o":1,"p":{"y":1}`):                                  "/o type_is_right",
		})
}

func whole(more string) string {
	return `{"aRef":"","aSchemaVersion":"","aDigestAlgorithmVersion":"","aDigest":""` + more + `}`
}

func TestArraysAreSortedAndUnique(t *testing.T) {
	checkAll(t, `"type":"array","items":{"type":"object","properties":{"k":{"type":"string"},"l":{"type":"string"}},"required":["k"],"additionalProperties":false},
		"x-sorted-by":["k","l"],"x-unique-by":["k"]`,
		map[string]string{
			`[]`:                                    "",
			`[{"k":"a","l":"b"},{"k":"b","l":"a"}]`: "",
			`[{"k":"b","l":"a"},{"k":"a","l":"z"},{"k":"c","l":""}]`:  "/1 array_is_sorted",
			`[{"k":"a","l":"b"},{"k":"a","l":"a"}]`:                   "/1 array_has_no_duplicate, /1 array_is_sorted",
			`[{"k":"a","l":"b"},{"k":"a","l":"b"},{"k":"a","l":"b"}]`: "/1 array_has_no_duplicate, /2 array_has_no_duplicate",
			// U+1F600 is D83D DE00 in UTF-16 and so before U+FF21.
			`[{"k":"😀","l":""},{"k":"` + "\uff21" + `","l":""}]`:       "",
			`[{"k":"` + "\uff21" + `","l":""},{"k":"😀","l":""}]`:       "/1 array_is_sorted",
			`[{"k":"b","l":""},{"k":"secret","l":1},{"k":"a","l":""}]`: "/1/l type_is_right, /2 array_is_sorted",
			`[{"k":"b"},{"k":"b","l":""},7]`:                           "/1 array_has_no_duplicate, /2 type_is_right",
			`{}`:                                                       " type_is_right",
		})
}

func TestDecimalsHaveOneForm(t *testing.T) {
	unsigned := load(t, `"type":"string","x-decimal":{"precision":5,"scale":2,"signed":false}`)
	signed := load(t, `"type":"string","x-decimal":{"precision":5,"scale":2,"signed":true}`)
	for text, want := range map[string][2]bool{
		"0": {true, true}, "7": {true, true}, "999": {true, true}, "1000": {}, "0.01": {true, true}, "999.99": {true, true}, "0.001": {},
		"-1": {false, true}, "-0.5": {false, true}, "-0": {}, "-0.0": {}, "00": {}, "01": {}, "1.": {}, ".5": {}, "1.0": {}, "1.10": {}, "1e1": {},
		"": {}, "-": {}, "+1": {}, "1\n": {}, "\t1": {}, "1.2.3": {}, "--1": {}, "٣": {}, "-999.99": {false, true}, "0.10": {}, "10": {true, true},
	} {
		document := fmt.Sprintf("%q", text)
		for i, r := range []*contracts.Registry{unsigned, signed} {
			if got := judged(t, r, document); (got == "") != want[i] || (got != "" && got != " decimal_is_canonical") {
				t.Errorf("%s, signed %t: %q", document, i == 1, got)
			}
		}
	}
	if got := judged(t, signed, `1`); got != " type_is_right" {
		t.Errorf("a number: %s", got)
	}
}

func TestUnknownSchemasAreErrors(t *testing.T) {
	r := load(t, `"type":"object"`)
	for _, schema := range []string{"", "Case", "Case@2", "Types@1", "../Case@1"} {
		if _, err := r.Validate(schema, []byte(`{}`)); !errors.Is(err, contracts.ErrUnknownSchema) {
			t.Errorf("validate by %q: %v", schema, err)
		}
		if _, err := r.Candidate(schema, []byte(`{}`)); !errors.Is(err, contracts.ErrUnknownSchema) {
			t.Errorf("candidate by %q: %v", schema, err)
		}
	}
	if _, err := r.DeriveID("nowhere", []byte(`{}`)); !errors.Is(err, contracts.ErrUnknownNamespace) {
		t.Errorf("derive in no namespace: %v", err)
	}
}
