package contracts_test

import (
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestDuplicateKeysAreRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, c := range []struct{ name, document, path string }{
		{"plain", `{"a":1,"a":1}`, "/a"},
		{"apart", `{"a":1,"b":2,"a":3}`, "/a"},
		{"escaped spelling", `{"a":1,"\u0061":2}`, "/a"},
		{"both escaped", `{"\u0061b":1,"a\u0062":2}`, "/ab"},
		{"empty key", `{"":1,"":2}`, "/"},
		{"nested", `{"x":[0,{"y":{"k":1,"k":2}}]}`, "/x/1/y/k"},
		{"pointer escapes", `{"a/b~c":{"k":1,"k":2}}`, "/a~1b~0c/k"},
		{"key is a colon", `{":":1,"\u003a":2}`, "/:"},
		{"key is a quote", `{"\"":1,"\u0022":2}`, `/"`},
		{"key is a backslash", `{"\\":1,"\u005c":2}`, `/\`},
		{"escaped colon in a value makes up for the lost one", `{"a":1,"b":"\u003a","a":2}`, "/a"},
		{"capital escaped colon", `{"a":1,"b":"\u003A","a":2}`, "/a"},
		{"escaped colon in a key", `{"a":1,"\u003a":0,"a":2}`, "/a"},
		{"beside an odd number", `{"a":1e0001,"a":1e0001}`, "/a"},
		{"values differ in type", `{"a":null,"a":{}}`, "/a"},
		{"many", `{"z":1,"z":2,"b":1,"b":2}`, "/b"},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, db, "OX001", "no_duplicate_key", c.path, c.document) })
	}
}

func TestKeysThatOnlyLookAlikeAreKept(t *testing.T) {
	t.Parallel()
	hold(t, testdb.New(t).Conn(t), []sample{
		{"same key in two objects", `[{"a":1},{"a":1}]`, `[{"a":1},{"a":1}]`},
		{"same key on two levels", `{"a":{"a":1}}`, `{"a":{"a":1}}`},
		{"case", `{"A":1,"a":2}`, `{"A":1,"a":2}`},
		{"composed and decomposed", `{"\u00e9":1,"e\u0301":2}`, "{\"e\u0301\":2,\"\u00e9\":1}"},
		{"escaped backslash before u003a", `{"\\u003a":1,":":2}`, `{":":2,"\\u003a":1}`},
		{"colons in text", `{"a:b":"c:d:","e":":::"}`, `{"a:b":"c:d:","e":":::"}`},
		{"escaped colons", `{"\u003a":"\u003A\u003a"}`, `{":":"::"}`},
		{"a document in a text", `{"a":"{\"a\":1,\"a\":2}"}`, `{"a":"{\"a\":1,\"a\":2}"}`},
	})
}

func TestNULIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, c := range []struct{ document, path string }{
		{`"\u0000"`, "(whole document)"},
		{`["a","b\u0000c"]`, "/1"},
		{`{"a":{"b":["\u0000"]}}`, "/a/b/0"},
		{`{"a":{"\u0000":1}}`, "/a/?"},
		{`["\\\u0000"]`, "/0"},
		{`["\\u0000","\u0000"]`, "/1"},
	} {
		refused(t, db, "OX001", "no_nul_character", c.path, c.document)
	}
}

func TestLoneAndReversedSurrogatesAreRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, c := range []struct{ document, path string }{
		{`"\ud800"`, "(whole document)"},
		{`["\udc00"]`, "/0"},
		{`["\uDBFF"]`, "/0"},
		{`["\ude02\ud83d"]`, "/0"},
		{`["\ud83d\ud83d\ude02"]`, "/0"},
		{`["\ud83d\ude02\ude02"]`, "/0"},
		{`["\ud83dx\ude02"]`, "/0"},
		{`["\ud83d\\ude02"]`, "/0"},
		{`["\ud83d\u0041"]`, "/0"},
		{`[1,{"k":"\ud83d\n\ude02"}]`, "/1/k"},
		{`{"a":{"\udfff":1}}`, "/a/?"},
		{`["\\\ud800"]`, "/0"},
		{`["\ud83d","\ude02"]`, "/0"},
	} {
		refused(t, db, "OX001", "no_lone_surrogate", c.path, c.document)
	}
}

func TestEscapedBackslashesStartNoEscape(t *testing.T) {
	t.Parallel()
	hold(t, testdb.New(t).Conn(t), []sample{
		{"NUL", `["\\u0000"]`, `["\\u0000"]`},
		{"surrogate", `["\\ud800"]`, `["\\ud800"]`},
		{"two of them", `["\\\\u0000\\\\ud800"]`, `["\\\\u0000\\\\ud800"]`},
		{"pair behind one", `["\\\ud83d\ude02"]`, `["\\😂"]`},
		{"pair in mixed case", `["\uD83D\uDe02\ud83D\uDE02"]`, `["😂😂"]`},
	})
}

// nested is a document of so many levels.
func nested(levels int, open, middle, closed string) string {
	return strings.Repeat(open, levels) + middle + strings.Repeat(closed, levels)
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	deepest := nested(128, "[", "", "]")
	hold(t, db, []sample{
		{"128 arrays", deepest, deepest},
		{"128 objects", nested(128, `{"a": `, "1", "}"), nested(128, `{"a":`, "1", "}")},
	})
	for _, deeper := range []string{nested(129, "[", "", "]"), nested(129, `{"a":`, "1", "}"), nested(5000, `[{"a":`, "1", "}]")} {
		refused(t, db, "OX001", "nesting_within_limit", "(whole document)", deeper)
	}
	// Brackets in text are no levels.
	text := `"` + strings.Repeat("[{", 200) + `"`
	hold(t, db, []sample{{"brackets in text", text, text}})
}

// TestAbsurdNestingIsPostgreSQLsOwnError is a documented limit: the JSON parser gives up before any rule is asked.
func TestAbsurdNestingIsPostgreSQLsOwnError(t *testing.T) {
	t.Parallel()
	tap.Throws(t, testdb.New(t).Conn(t), "54001", "", "select contracts.jcs($1::json)", nested(200000, "[", "", "]"))
}

func TestWhatIsNotJSONIsPostgreSQLsOwnError(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, document := range []string{
		``, `{`, `[1,]`, `{"a":1,}`, `{a:1}`, `'a'`, `[NaN]`, `[Infinity]`, `[+1]`, `[1.]`, `[0x10]`, `[1_000]`, `tru`, `"\x"`, `"\u12"`, "\"\n\"", `1 2`,
	} {
		tap.Throws(t, db, "22P02", "", "select contracts.jcs($1::json)", document)
	}
	// PostgreSQL text cannot even carry these to the parser.
	tap.Throws(t, db, "22021", "", "select contracts.jcs($1::json)", "\"a\x00b\"")
	tap.Throws(t, db, "22021", "", "select contracts.jcs($1::json)", "\"\xff\"")
	tap.Throws(t, db, "22021", "", "select contracts.jcs($1::json)", "\"\xed\xa0\x80\"")
}

func TestNullArgumentGivesNull(t *testing.T) {
	t.Parallel()
	tap.RowEq(t, testdb.New(t).Conn(t), tap.Row{nil, "null"}, "select contracts.jcs(null), contracts.jcs('null')")
}

// TestRefusalsNeverQuoteTheDocument sends secrets wherever a refusal could quote them.
func TestRefusalsNeverQuoteTheDocument(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	digits := strings.Repeat("4142434", 60)
	for _, c := range []struct{ sqlstate, document string }{
		{"OX001", `{"k":"secret","k":"secret"}`},
		{"OX001", `["secret\u0000"]`},
		{"OX001", `["secret\ud800"]`},
		{"OX001", nested(129, "[", `"secret"`, "]")},
		{"OX002", `["secret",4142434e400]`},
		{"OX002", `["secret",` + digits + `]`},
		{"OX002", `["secret",` + digits + `e99]`},
	} {
		report := tap.Throws(t, db, c.sqlstate, "", "select contracts.jcs($1::json)", c.document)
		if report == nil {
			continue
		}
		said := report.Message + report.Detail + report.Hint
		tap.Ok(t, !strings.Contains(said, "secret") && !strings.Contains(said, "4142434"), "no value in: "+said)
	}
}
