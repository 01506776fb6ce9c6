package contracts_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
)

// The values of these documents are the business of no schema.
const open = `"type":"object"`

func TestTextIsReadBeforeAnySchemaIsAsked(t *testing.T) {
	nested := func(levels int, inside string) string {
		return strings.Repeat(`{"a":`, levels) + inside + strings.Repeat("}", levels)
	}
	checkAll(t, open, map[string]string{
		``: " text_is_json", `{`: " text_is_json", `{} {}`: " text_is_json", "{\"a\":\"\xff\"}": " text_is_json", `{"a":01}`: " text_is_json",
		"{\"a\":\"\xed\xa0\x80\"}": " text_is_json", `{"a":NaN}`: " text_is_json", "\ufeff{}": " text_is_json", "{\"a\":\"\x00\"}": " text_is_json",
		` {"a" : "` + strings.Repeat("x", 4<<20-11) + `"}`:  "",
		`  {"a" : "` + strings.Repeat("x", 4<<20-11) + `"}`: " raw_size_within_limit",
		strings.Repeat("[", 4<<20+1):                        " raw_size_within_limit",

		`{"a":"\u0000"}`: "/a no_nul_character", `{"a":["x",{"b/~":"\u0000"}]}`: "/a/1/b~1~0 no_nul_character",
		`{"x\u0000y":1}`: "/x?y no_nul_character", `{"x\u0000":{"\ud800":1}}`: "/x?/? no_nul_character",
		`{"a":"\\u0000\\\\ud800"}`: "", `{"a":"\\\u0000"}`: "/a no_nul_character", `{"a":"\ud83d\ude00\u00e9"}`: "",
		`{"a":"\ud83d"}`: "/a no_lone_surrogate", `{"a":"\ude00\ud83d"}`: "/a no_lone_surrogate", `{"a":"\ud83d\ud83d\ude00"}`: "/a no_lone_surrogate",
		`{"a":"\ud83dx\ude00"}`: "/a no_lone_surrogate", `{"a":"\uD83D\n"}`: "/a no_lone_surrogate",
		// The first place counts, and one U+0000 anywhere names the rule.
		`{"a":"\ud83d\u0000"}`:        "/a no_nul_character",
		`{"a":"\ud83d","b":"\u0000"}`: "/a no_nul_character",
		// Escapes come before nesting, nesting before numbers, numbers before names, names before forms.
		nested(129, `"\ud800"`):                                         strings.Repeat("/a", 129) + " no_lone_surrogate",
		nested(129, `1e999`):                                            " nesting_within_limit",
		nested(128, `1e999`):                                            strings.Repeat("/a", 128) + " number_is_exact",
		nested(20000, `1`):                                              " nesting_within_limit",
		`{"a":"[[","b":1e400,"b":2}`:                                    "/b number_is_exact",
		`{"a":"e\u0301","b":1,"b":2}`:                                   "/b no_duplicate_key",
		`{"c":{"b":1,"b":1},"a":1,"a":2}`:                               "/a no_duplicate_key",
		`{"c":{"b":1,"b":1},"a":{"z":1,"z":1}}`:                         "/c/b no_duplicate_key",
		`{"b":1,"b":1,"a":1,"\u0061":1}`:                                "/a no_duplicate_key",
		`[{"a":{"b":1,"b":1},"a":0}]`:                                   "/0/a no_duplicate_key",
		`[0,[{"":1,"":1}]]`:                                             "/1/0/ no_duplicate_key",
		`{"a":[{"b":1},{"b":1}],"b":1}`:                                 "",
		`{"a":["x","e\u0301"]}`:                                         "/a/1 text_is_nfc",
		`{"e\u0301":1}`:                                                 "/e\u0301 text_is_nfc",
		`{"e\u0301":{"b":"e\u0301"},"a":"\u212b"}`:                      "/e\u0301/b text_is_nfc",
		`{"a":"\n\u0301","b":"\u0301","c":"é"}`:                         "",
		`{"a":"` + "q\u0323\u0307" + `","b":"` + "q\u0307\u0323" + `"}`: "/b text_is_nfc",
	})
}

func TestNumbersAreTheDoublesTheyName(t *testing.T) {
	r := load(t, open)
	long := strings.Repeat("0", 250)
	for token, want := range map[string]bool{
		"0": true, "-0": true, "1.0": true, "1e2": true, "0.1": true, "1e20": true, "1E+2": true, "100e-2": true, "0e999": true, "1e-7": true,
		"35821213014423850": true, "9007199254740992": true, "9007199254740991": true, "1e308": true, "5e-324": true, "123456789012345680000": true,
		"1.7976931348623157e308": true, "1" + long + ".5": false, "1." + long: true, "0." + long + "1": true, "1" + long: true, "1" + long + "e-250": true,
		"9007199254740993": false, "1e400": false, "-1e400": false, "1e-400": false, "0.10000000000000000001": false, "35821213014423848": false,
		"4e-324": false, "1.7976931348623159e308": false, "1e99999999999999999999": false, "1e-99999999999999999999": false, "0.1" + long + "1": false,
	} {
		wanted := ""
		if !want {
			wanted = "/a/1 number_is_exact"
		}
		if got := judged(t, r, `{"a":[7,`+token+`]}`); got != wanted {
			t.Errorf("%s: got %q, want %q", token, got, wanted)
		}
	}
}

func TestCanonicalFormIsJudgedAfterTheSchema(t *testing.T) {
	r := load(t, `"type":"object","properties":{"a":{"type":"object"},"b":{"type":"object"},"é":{"type":"integer","minimum":0,"maximum":9}},"required":[],"additionalProperties":false`)
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	for document, want := range map[string]string{
		`{"a":{"x":` + deep(62) + `}}`:                                          "",
		`{"a":{"x":` + deep(63) + `}}`:                                          "/a/x" + strings.Repeat("/0", 62) + " nesting_within_limit",
		`{"a":{"x":` + deep(63) + `},"é":-1}`:                                   "/é number_within_bounds",
		`{"b":{"x":0.10000000000000000001},"a":{"y":1,"x":[9007199254740993]}}`: "/a/x/0 number_is_exact",
		`{"b":{"x":` + deep(99) + `},"a":{"y":9007199254740993}}`:               "/a/y number_is_exact",
		`{"b":{"😀":9007199254740993,"` + "\uff21" + `":9007199254740993}}`:      "/b/😀 number_is_exact",
		`{"b":{"` + strings.Repeat("n", 70) + `":9007199254740993}}`:            "/b/" + strings.Repeat("n", 64) + " number_is_exact",
		// Odd numbers are judged when the text is read: a database cannot cast them.
		`{"é":-1,"a":{"x":1e400}}`:                                            "/a/x number_is_exact",
		`{"é":-1,"a":{"x":1` + strings.Repeat("0", 200) + `1}}`:               "/é number_within_bounds",
		`{"a":{"x":1` + strings.Repeat("0", 200) + `1}}`:                      "/a/x number_is_exact",
		`{"é":-1,"a":{"y":": 1e100","x":1` + strings.Repeat("0", 200) + `1}}`: "/a/x number_is_exact",
		`{"é":-1,"a":{"x":1` + strings.Repeat("0", 16000) + `1}}`:             "/a/x number_is_exact",
	} {
		if got := judged(t, r, document); got != want {
			t.Errorf("%.80s:\n got %s\nwant %s", document, got, want)
		}
	}
}

func TestDigestIsTheLastToBeJudged(t *testing.T) {
	r := load(t, `"x-digest":{"algorithmVersion":"jcs-sha256-v1","member":"sum","excludes":["sum","at"]},
		"type":"object","properties":{"sum":{"type":"string"},"at":{"type":"string"},"n":{"type":"integer","minimum":0,"maximum":9}},"required":["sum"],"additionalProperties":false`)
	sum := contracts.Sum([]byte(`{"n":1}`))
	right := hex.EncodeToString(sum[:])
	for document, want := range map[string]string{
		fmt.Sprintf(`{"n":1.0,"sum":%q,"at":"now"}`, right):     "",
		fmt.Sprintf(`{"n":2,"sum":%q}`, right):                  "/sum digest_matches",
		fmt.Sprintf(`{"n":1,"sum":%q}`, strings.ToUpper(right)): "/sum digest_matches",
		fmt.Sprintf(`{"n":10,"sum":%q}`, right):                 "/n number_within_bounds",
		`{"n":1,"sum":"secret"}`:                                "/sum digest_matches",
	} {
		if got := judged(t, r, document); got != want {
			t.Errorf("%s: got %s, want %s", document, got, want)
		}
	}
	document := []byte(`{"sum":"x","n":1e0,"at":"y"}`)
	if candidate, err := r.Candidate("Case@1", document); err != nil || string(candidate) != `{"n":1}` {
		t.Errorf("the candidate is %s, %v", candidate, err)
	}
	if digest, err := r.Digest("Case@1", document); err != nil || digest != sum {
		t.Errorf("the digest is %x, %v", digest, err)
	}
	if _, err := r.Candidate("Case@1", []byte(`[]`)); err == nil {
		t.Error("an array has a candidate without members")
	}
}

func TestDerivedIdentifiers(t *testing.T) {
	r := load(t, `"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer","minimum":0,"maximum":9}},"required":["a"],"additionalProperties":false`)
	id, err := r.DeriveID("space", []byte(`{"b":"x","a":1.0}`))
	// sha256 of 15 zero bytes, 0xff and {"a":1,"b":"x"}, computed with sha256sum
	const hash = "266f24fdc15ccad18be2dc2f9e473e0e2085563df8a2e7df187f5b270b3a2229"
	if want := hash[:8] + "-" + hash[8:12] + "-8" + hash[13:16] + "-"; err != nil || !strings.HasPrefix(id, want) || id[20:23] != hash[17:20] || id[24:] != hash[20:32] {
		t.Errorf("id %s, %v", id, err)
	}
	if strings.IndexByte("89ab", id[19]) < 0 {
		t.Errorf("the variant of %s is wrong", id)
	}
	if key, err := r.DeriveKey("space", []byte(`{"b":"x","a":1.0}`)); err != nil || key != "space:"+hash {
		t.Errorf("key %s, %v", key, err)
	}
	_, err = r.DeriveKey("space", []byte(`{"a":"secret"}`))
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "/a") || !strings.Contains(err.Error(), "type_is_right") {
		t.Errorf("an invalid candidate: %v", err)
	}
}

func FuzzValidate(f *testing.F) {
	r := registry(f)
	schemas := r.Schemas()
	for i := range schemas {
		f.Add(uint8(i), []byte(`{"a":[1.5e300,"\ud83d\ude00",null,{"b":-0}],"result":"retryable"}`))
	}
	f.Add(uint8(8), contracts.FirstRelease())
	f.Fuzz(func(t *testing.T, which uint8, document []byte) {
		schema := schemas[int(which)%len(schemas)]
		violations, err := r.Validate(schema, document)
		if err != nil || len(violations) > 0 {
			return
		}
		candidate, err := r.Candidate(schema, document)
		if err != nil {
			t.Fatalf("%s: %q is valid, but has no candidate: %v", schema, document, err)
		}
		if again, err := contracts.Canonical(candidate); err != nil || string(again) != string(candidate) {
			t.Fatalf("%s: the candidate %q of %q is not canonical: %v", schema, candidate, document, err)
		}
	})
}
