package append_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// number is an envelope whose payload holds this token at /payload/x.
func number(token string) string { return envelope(fixture.Payload(`{"x":` + token + `}`)) }

func TestNumbersThatADoubleChangesAreRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for name, token := range map[string]string{
		"2^53+1":                     "9007199254740993",
		"negative":                   "-9007199254740993",
		"beyond a double":            "1e400",
		"below a double":             "1e-400",
		"too many digits":            "0.10000000000000000001",
		"a third":                    "0.33333333333333333333",
		"largest 64-bit integer":     "9223372036854775807",
		"more than shortest":         "35821213014423848",
		"below a double, long":       "0." + strings.Repeat("0", 400) + "1",
		"beyond a double, long":      strings.Repeat("9", 400),
		"two digits of exponent":     strings.Repeat("1", 300) + "e99",
		"twenty thousand digits":     strings.Repeat("7", 20000),
		"absurd exponent":            "1e99999999999999999999",
		"absurd negative exponent":   "1e-99999999999999999999",
		"half of the smallest":       "2.4703282292062327208828439643411e-324",
		"smallest, more than needed": "4.9406564584124654e-324",
		"exact value of 0.1":         "0.1000000000000000055511151231257827021181583404541015625",
	} {
		t.Run(name, func(t *testing.T) { refused(t, db, "OX002", "number_is_exact", "/payload/x", number(token)) })
	}
}

func TestNumbersThatSurviveAreStoredInOneForm(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	for token, form := range map[string]string{
		"0.1": "0.1", "1.0": "1", "-0": "0", "-0.0e5": "0", "0e400": "0", "1e20": "100000000000000000000", "1e21": "1e+21", "1E+2": "100", "1.50": "1.5",
		"9007199254740991": "9007199254740991", "9007199254740992": "9007199254740992", "1e23": "1e+23", "35821213014423850": "35821213014423850",
		"5e-324": "5e-324", "1.7976931348623157e308": "1.7976931348623157e+308", "1e-7": "1e-7", "0.000001": "0.000001",
		"1" + strings.Repeat("0", 400) + "e-400": "1", "1e0000000000000000000000002": "100",
	} {
		stored := accepted(t, d, number(token))
		tap.Ok(t, strings.Contains(stored, `"payload":{"x":`+form+`},`), token+" is stored as "+form+": "+stored)
	}
}

func TestNumberPathsAreNamed(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for path, payload := range map[string]string{
		"/payload/a/1/b~1c": `{"a":[0.5,{"b/c":%}]}`,
		"/payload/":         `{"":%}`,
		"/payload/k/0/0":    `{"k":[[%,1],2]}`,
	} {
		for _, token := range []string{"9007199254740993", "1e400", strings.Repeat("9", 400), strings.Repeat("9", 20000)} {
			refused(t, db, "OX002", "number_is_exact", path, envelope(fixture.Payload(strings.Replace(payload, "%", token, 1))))
		}
	}
	refused(t, db, "OX002", "number_is_exact", "/aggregateRevision", envelope(fixture.With("aggregateRevision", json.RawMessage("1e400"))))
}

func TestNamesInPathsAreCut(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	refused(t, db, "OX002", "number_is_exact", "/payload/"+strings.Repeat("k", 64)+"/0",
		envelope(fixture.Payload(`{"`+strings.Repeat("k", 100_000)+`":[9007199254740993]}`)))
}

func TestTextThatIsNotNFCIsRefused(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	for path, payload := range map[string]string{
		"/payload/a":         `{"a":"e\u0301"}`,
		"/payload/b/1":       "{\"b\":[\"x\",\"e\u0301\"]}",
		"/payload/c/e\u0301": `{"c":{"e\u0301":1}}`,
		"/payload/d":         `{"d":"\u1100\u1161"}`,
		"/payload/e":         `{"e":"\u2126"}`,
		"/payload/f":         `{"f":"\ufb1d"}`,
		"/payload/g":         `{"g":"a\u0323\u0307\u0323"}`,
		"/payload/h":         `{"h":"\u0307\u0323"}`,
	} {
		refused(t, db, "OX001", "text_is_nfc", path, envelope(fixture.Payload(payload)))
	}
	refused(t, db, "OX001", "text_is_nfc", "/tenantId", envelope(fixture.With("tenantId", "e\u0301")))
	deep := strings.Repeat("[", 60) + `"e\u0301"` + strings.Repeat("]", 60)
	refused(t, db, "OX001", "text_is_nfc", "/payload/x"+strings.Repeat("/0", 60), number(deep))
	// A composition exclusion: its NFC is decomposed.
	refused(t, db, "OX001", "text_is_nfc", "/payload/x", number(`"\ud834\udd5e"`))
	for _, payload := range []string{
		`{"a":"é"}`, `{"a":"\u00e9"}`, `{"a":"q\u0301"}`, `{"a":"\ufb01"}`,
		// Combining characters at the start of a text compose with nothing of it.
		`{"\u0301":"\u0301"}`, `{"a":"\u0338","<":"\u0338"}`, `{"a":"\n\u0301"}`,
	} {
		accepted(t, d, envelope(fixture.Payload(payload)))
	}
}

func TestDuplicateMembersAreRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for path, payload := range map[string]string{
		"/payload/a":     `{"a":1,"a":1}`,
		"/payload/b":     `{"b":1,"\u0062":2}`,
		"/payload/c/0/d": `{"c":[{"d":1,"e":"\u003a","d":2}]}`,
		"/payload/:":     `{":":1,"\u003A":2}`,
	} {
		refused(t, db, "OX001", "no_duplicate_key", path, envelope(fixture.Payload(payload)))
	}
	valid := envelope()
	refused(t, db, "OX001", "no_duplicate_key", "/tenantId", `{"tenantId":"`+secret+`",`+valid[1:])
	refused(t, db, "OX001", "no_duplicate_key", "/payload", `{"payload":{},`+valid[1:])
	refused(t, db, "OX001", "no_duplicate_key", "/eventId", `{"event\u0049d":"`+secret+`",`+valid[1:])
}

func TestNULAndLoneSurrogatesAreRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	refused(t, db, "OX001", "no_nul_character", "/payload/x", number(`"`+secret+`\u0000"`))
	refused(t, db, "OX001", "no_nul_character", "/payload/x/?", number(`{"\u0000":1}`))
	refused(t, db, "OX001", "no_nul_character", "/tenantId", envelope(fixture.With("tenantId", json.RawMessage(`"a\u0000"`))))
	refused(t, db, "OX001", "no_lone_surrogate", "/payload/x", number(`"`+secret+`\ud800"`))
	refused(t, db, "OX001", "no_lone_surrogate", "/payload/x/1", number(`["\ud83d\ude02","\ude02\ud83d"]`))
	refused(t, db, "OX001", "no_lone_surrogate", "/traceId", envelope(fixture.With("traceId", json.RawMessage(`"\udfff"`))))
}

func TestNestingIsBoundedAt64Levels(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	// The envelope is the first level and the payload the second.
	for open, closed := range map[string]string{"[": "]", `{"x":`: "}"} {
		inside := func(levels int) string {
			return number(strings.Repeat(open, levels) + "1" + strings.Repeat(closed, levels))
		}
		step := map[string]string{"[": "/0", `{"x":`: "/x"}[open]
		accepted(t, d, inside(62))
		refused(t, db, "OX001", "nesting_within_limit", "/payload/x"+strings.Repeat(step, 62), inside(63))
		refused(t, db, "OX001", "nesting_within_limit", "(whole document)", inside(200))
	}
	empty := number(strings.Repeat("[", 63) + strings.Repeat("]", 63))
	refused(t, db, "OX001", "nesting_within_limit", "/payload/x"+strings.Repeat("/0", 62), empty)
}

const mebibyte = 1 << 20

// sized is an envelope whose canonical form has so many bytes.
func sized(t *testing.T, d *testdb.DB, bytes int) string {
	t.Helper()
	options := []fixture.Option{fixture.ID(fixture.NewID()), fixture.Aggregate("a", 1)}
	frame := len(accepted(t, d, fixture.Envelope(append(options, fixture.Payload(`{"x":""}`))...)))
	return fixture.Envelope(append(options, fixture.Payload(`{"x":"`+strings.Repeat("y", bytes-frame)+`"}`))...)
}

func TestCanonicalSizeIsBoundedAtOneMebibyte(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	tap.Is(t, len(accepted(t, d, sized(t, d, mebibyte))), mebibyte, "canonical bytes of the largest envelope")
	refused(t, d.Conn(t), "OX001", "envelope_size_within_limit", "(whole document)", sized(t, d, mebibyte+1))
	// Bytes count, not characters.
	refused(t, d.Conn(t), "OX001", "envelope_size_within_limit", "(whole document)",
		envelope(fixture.Payload(`{"x":"`+strings.Repeat("é", mebibyte/2)+`"}`)))
}

func TestRawSizeIsBoundedAtFourTimesAsMuch(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	valid := envelope()
	spaces := func(bytes int) string { return valid + strings.Repeat(" ", bytes-len(valid)) }
	tap.Ok(t, len(accepted(t, d, spaces(4*mebibyte))) < 4096, "white space is no part of the canonical form")
	refused(t, d.Conn(t), "OX001", "raw_size_within_limit", "(whole document)", spaces(4*mebibyte+1))
	escaped := envelope(fixture.Payload(`{"x":"` + strings.Repeat(`\u0061`, 600_000) + `"}`))
	tap.Ok(t, len(accepted(t, d, escaped)) < 601_000, "escapes count once they are read")
}

func TestSettingsMoveTheLimits(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	governor, db := d.As(t, "outbox_governor"), d.Conn(t)
	tap.Exec(t, governor, `select outbox.change_settings('{"max_envelope_bytes":1024,"max_nesting":3,"max_append_events":2}', 'test')`)
	refused(t, db, "OX001", "envelope_size_within_limit", "(whole document)", fixture.Envelope(fixture.Payload(`{"x":"`+strings.Repeat("y", 1000)+`"}`)))
	refused(t, db, "OX001", "raw_size_within_limit", "(whole document)", fixture.Envelope()+strings.Repeat(" ", 4096))
	refused(t, db, "OX001", "nesting_within_limit", "/payload/x/0", fixture.Envelope(fixture.Payload(`{"x":[[]]}`)))
	tap.Throws(t, db, "OX023", "append_is_bounded", "select outbox.append_events($1::text[]::json[])",
		[]string{fixture.Envelope(), fixture.Envelope(), fixture.Envelope()})
	fixture.AppendMany(t, db, 2, fixture.Payload(`{"x":[1]}`))
}

func TestTextThatIsNotJSONIsPostgreSQLsOwnError(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for _, text := range []string{"", "{", "not json", envelope() + "x", `{"a":NaN}`} {
		tap.Throws(t, db, "22P02", "", appendSQL, text)
	}
	tap.Throws(t, db, "54001", "", appendSQL, number(strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)))
	nothingAppended(t, db)
}
