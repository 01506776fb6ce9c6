package gendoc

import (
	"regexp"
	"strings"

	"pgregory.net/rapid"
)

// odd lists numbers in spellings and sizes that readers treat differently.
func odd() []token {
	return []token{
		"1.0", "1e2", "1E+2", "10e-1", "-0", "-0.0", "0.1e1", "1.5", "0.30000000000000004", "9007199254740992", "9007199254740993", "-9007199254740993",
		"123456789012345678901234567890", "1e400", "-1e400", "1e-400", "1e100", "5e-324", "4.9e-325", "1.7976931348623157e308", "1.7976931348623159e308",
		"1e-99", "1e99", "1e0001", "0e999", token("1" + strings.Repeat("0", 198)), token("1" + strings.Repeat("0", 199)), token("0." + strings.Repeat("3", 250)),
	}
}

func changeNumber(t *rapid.T, document *object) bool {
	numbers := []token{"0", "1", "2", "-1", "9007199254740991", "-9007199254740991", "100"}
	return change(t, document, isNumber, func(any) any { return one(t, numbers) })
}

func oddNumber(t *rapid.T, document *object) bool {
	return change(t, document, isNumber, func(any) any { return one(t, odd()) })
}

// changeDecimal changes an amount, or a schema version, which looks like one.
func changeDecimal(t *rapid.T, document *object) bool {
	looksDecimal := func(v any) bool {
		text, ok := v.(string)
		return ok && regexp.MustCompile(`^-?[0-9]+([.][0-9]+)?$`).MatchString(text)
	}
	return change(t, document, looksDecimal, func(old any) any {
		text, _ := old.(string)
		digits := strings.Repeat("1", 40)
		return one(t, []string{
			"0", "-0", "00", "0.0", "0.10", "-1", "+1", "01", ".5", "5.", "1e2", "1.5", " 1", "1\n", "\u0661", text + "0", text + ".0", "-" + text, "0" + text,
			digits[:20], digits[:21], "0." + digits[:18], "0." + digits[:19], digits[:20] + "." + digits[:18], digits[:38], digits[:39],
		})
	})
}

// inside gives an object that may hold anything, or one that may not if there is none.
func inside(t *rapid.T, document *object) *object {
	var open []*object
	for _, m := range document.members {
		if o, ok := m.value.(*object); ok && strings.HasSuffix(strings.ToLower(m.name), "payload") {
			open = append(open, objects(o)...)
		}
	}
	if o, ok := pick(t, open); ok {
		return o
	}
	return document
}

func numberInPayload(t *rapid.T, document *object) bool {
	inside(t, document).set("number", one(t, odd()))
	return true
}

func decomposed() []string {
	return []string{"e\u0301", "\u212b", "\u1100\u1161", "a\u0323\u0307\u0301", "\u0958"}
}

func denormalise(t *rapid.T, document *object) bool {
	return change(t, document, isText, func(old any) any {
		text, _ := old.(string)
		return text + one(t, decomposed())
	})
}

func denormaliseName(t *rapid.T, document *object) bool {
	inside(t, document).set(one(t, decomposed()), "x")
	return true
}

func forbiddenText(t *rapid.T, document *object) bool {
	bad := one(t, []token{`"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udc00\ud800"`, `"\ud83d"`, `"\\u0000"`, `"\ud83d\ude00"`})
	if rapid.Bool().Draw(t, "in a payload") {
		inside(t, document).set("text", bad)
		return true
	}
	return change(t, document, isText, func(any) any { return bad })
}

func nestDeeply(t *rapid.T, document *object) bool {
	levels := one(t, []int{30, 61, 62, 63, 64, 65, 66, 100, 126, 127, 128, 129, 130})
	var deep any = "x"
	for i := range levels {
		if i%2 == 0 {
			deep = &object{members: []member{{"d", deep}}}
		} else {
			deep = &array{items: []any{deep}}
		}
	}
	inside(t, document).set("deep", deep)
	return true
}
