package contracts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/testdb"
)

func TestControlCharactersHaveOneSpelling(t *testing.T) {
	t.Parallel()
	short := map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`}
	var samples []sample
	for r := rune(1); r < 0x20; r++ {
		form, known := short[r]
		if !known {
			form = fmt.Sprintf(`\u%04x`, r)
		}
		for _, spelling := range []string{fmt.Sprintf(`\u%04x`, r), fmt.Sprintf(`\u%04X`, r), form} {
			samples = append(samples, sample{spelling, `{"k` + spelling + `":"` + spelling + `"}`, `{"k` + form + `":"` + form + `"}`})
		}
	}
	hold(t, testdb.New(t).Conn(t), samples)
}

func TestOnlyQuoteAndBackslashAreEscapedOtherwise(t *testing.T) {
	t.Parallel()
	hold(t, testdb.New(t).Conn(t), []sample{
		{"quote and backslash", `"\u0022\u005c\"\\"`, `"\"\\\"\\"`},
		{"solidus", `"\/\u002f/"`, `"///"`},
		{"HTML", `"<>&'</script>"`, `"<>&'</script>"`},
		{"DEL and C1", `"\u007f\u0080\u009f"`, "\"\u007f\u0080\u009f\""},
		{"line separators", `"\u2028\u2029"`, "\"\u2028\u2029\""},
		{"byte order mark and noncharacters", `"\ufeff\ufffe\uffff"`, "\"\ufeff\ufffe\uffff\""},
		{"last code point", `"\udbff\udfff"`, "\"\U0010ffff\""},
	})
}

// TestEveryCharacterSurvivesRawAndEscaped sends all characters of the basic plane that JSON text can hold unescaped, the
// ends of all other planes, and each as an escape too.
func TestEveryCharacterSurvivesRawAndEscaped(t *testing.T) {
	t.Parallel()
	const block = 4096
	var samples []sample
	for first := rune(0); first <= 0x10ffff; first += block {
		if first >= 0x10000 && first&0xf000 != 0 && first&0xf000 != 0xf000 {
			continue
		}
		var raw, escaped strings.Builder
		for r := max(first, 0x20); r < first+block; r++ {
			switch {
			case r >= 0xd800 && r <= 0xdfff, r == '"', r == '\\':
			case r < 0x10000:
				raw.WriteRune(r)
				fmt.Fprintf(&escaped, `\u%04x`, r)
			default:
				raw.WriteRune(r)
				fmt.Fprintf(&escaped, `\u%04x\u%04X`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
			}
		}
		name := fmt.Sprintf("block %04X", first)
		form := `["` + raw.String() + `"]`
		samples = append(samples, sample{name, `[ "` + raw.String() + `" ]`, form}, sample{name + " escaped", `["` + escaped.String() + `"]`, form})
	}
	hold(t, testdb.New(t).Conn(t), samples)
}

func TestKeysAreSortedByUTF16CodeUnit(t *testing.T) {
	t.Parallel()
	hold(t, testdb.New(t).Conn(t), []sample{
		{"astral before private use", `{"\ue000":1,"\ud800\udc00":2}`, "{\"\U00010000\":2,\"\ue000\":1}"},
		{"astral before presentation forms", `{"ﬁ":1,"😂":2,"z":3}`, `{"z":3,"😂":2,"ﬁ":1}`},
		{"astral in the middle", `{"a\ufb33":1,"a😂b":2,"a😂":3}`, "{\"a😂\":3,\"a😂b\":2,\"a\ufb33\":1}"},
		{"two astral ones by their low surrogate", `{"\ud83d\ude03":1,"\ud83d\ude02":2}`, `{"😂":2,"😃":1}`},
		{"astral below, in a nested object", `[{"x":{"\uffff":1,"𐀀":2}}]`, "[{\"x\":{\"𐀀\":2,\"\uffff\":1}}]"},
		{"astral only in a value", `{"\uffff":"😂","a":1}`, "{\"a\":1,\"\uffff\":\"😂\"}"},
		{"prefix first", `{"aa":1,"a":2,"":3}`, `{"":3,"a":2,"aa":1}`},
		{"digits as text", `{"10":1,"9":2,"1":3}`, `{"1":3,"10":1,"9":2}`},
		{"not by language", `{"ä":1,"z":2,"a":3,"Z":4,"_":5,"-":6}`, `{"-":6,"Z":4,"_":5,"a":3,"z":2,"ä":1}`},
		{"not by jsonb's length first", `{"b":1,"aa":2,"ccc":3,"a":4}`, `{"a":4,"aa":2,"b":1,"ccc":3}`},
		{"control character in a key", `{"a\u0001b":1,"aa":2,"a":3}`, `{"a":3,"a\u0001b":1,"aa":2}`},
	})
}

func TestWhiteSpaceGoes(t *testing.T) {
	t.Parallel()
	hold(t, testdb.New(t).Conn(t), []sample{
		{"around", " \t\r\n{ \"a\" :\t[ 1 ,\r\n2 ] , \"b\":{ } }\n", `{"a":[1,2],"b":{}}`},
		{"inside text it stays", `{"a b":" c  d "}`, `{"a b":" c  d "}`},
		{"scalars", " true ", "true"},
	})
}
