package contracts

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxRawSize     = 4 << 20 // bytes of a document as it was sent
	maxRawNesting  = 128     // levels of a document as it was sent
	maxNesting     = 64      // levels of a canonical document
	maxJSONNesting = 10000   // levels that encoding/json reads
	locatable      = 1 << 18 // bytes of a document in which a place is looked for: in a larger one that takes a database too long

	// A number is odd when a database needs more than a cast for it.
	oddExponent   = 3     // digits of an exponent
	oddMantissa   = 200   // characters of digits and point
	castableBytes = 16000 // a text up to this size holds no number that is too long for a cast
)

// looksOdd is how the database looks for a big exponent: in the text as it is, strings included.
var looksOdd = regexp.MustCompile(`(^|[\]:,[ \n\r\t])-?[0-9.]+[eE][+-]?[0-9]{3}`)

// read reads a document into the values that the validator knows, and says what it hides: what is
// wrong with it before any schema is asked. It finds at most one violation, that of the first of these
// rules that is broken, at the first place that breaks it: escapes that no text can hold, nesting,
// numbers that no double holds, members that come twice, text that is not in NFC. Beside the last there is a
// value all the same.
func read(doc []byte) (value any, violations []Violation) {
	if !utf8.Valid(doc) {
		return nil, whole(ruleTextIsJSON, "is not UTF-8")
	}
	if !json.Valid(doc) {
		if nestsDeeper(doc, maxJSONNesting) {
			return nil, whole(ruleNesting, "nests too deeply")
		}
		return nil, whole(ruleTextIsJSON, "is not JSON")
	}
	r := reading{text: string(doc)}
	value = r.value()
	if v := r.violation(); v != nil {
		return value, []Violation{located(doc, *v)}
	}
	return value, nil
}

// located takes the place away from what is wrong with a large document.
func located(doc []byte, v Violation) Violation {
	if len(doc) > locatable {
		v.Path = ""
	}
	return v
}

// nestsDeeper tells, without recursion, whether a text opens more than so many levels.
func nestsDeeper(text []byte, limit int) bool {
	depth, quoted, escaped := 0, false, false
	for _, b := range text {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = b == '\\', b != '"'
		case b == '"':
			quoted = true
		case b == '{' || b == '[':
			if depth++; depth > limit {
				return true
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return false
}

// place is the first place that breaks a rule.
type place struct {
	found bool
	path  string
}

func (p *place) note(steps []step) {
	if !p.found {
		*p = place{found: true, path: pointerOf(steps)}
	}
}

// reading goes through a text that is known to be JSON.
type reading struct {
	text  string
	at    int
	steps []step
	depth int // the deepest level seen

	nul, bigExponent, longMantissa      bool // seen anywhere
	escape, number, duplicate, denormal place
}

// violation is the one that counts. A name that breaks a rule comes after what its value holds.
func (r *reading) violation() *Violation {
	// A long number alone is left to the canonical form, as long as a database can cast it.
	odd := r.bigExponent || (r.longMantissa && (len(r.text) > castableBytes || looksOdd.MatchString(r.text)))
	switch {
	case r.escape.found && r.nul:
		return &Violation{r.escape.path, ruleNoNUL, "holds U+0000"}
	case r.escape.found:
		return &Violation{r.escape.path, ruleNoLoneSurrogate, "holds half of a surrogate pair"}
	case r.depth > maxRawNesting:
		return &Violation{"", ruleNesting, deeperThan(maxRawNesting)}
	case r.number.found && odd:
		return &Violation{r.number.path, ruleNumberIsExact, "is a number that a double changes"}
	case r.duplicate.found:
		return &Violation{r.duplicate.path, ruleNoDuplicateKey, "is there more than once"}
	case r.denormal.found:
		return &Violation{r.denormal.path, ruleTextIsNFC, "is not in Unicode normalization form C"}
	}
	return nil
}

// next gives the next character that is no white space.
func (r *reading) next() byte {
	for strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
	return r.text[r.at]
}

func (r *reading) value() any {
	switch r.next() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return r.string()
	case 't':
		r.at += len("true")
		return true
	case 'f':
		r.at += len("false")
		return false
	case 'n':
		r.at += len("null")
		return nil
	}
	return r.readNumber()
}

func (r *reading) array() []any {
	r.at++
	r.steps = append(r.steps, step{})
	r.depth = max(r.depth, len(r.steps))
	items := []any{}
	for r.next() != ']' {
		if r.text[r.at] == ',' {
			r.at++
		}
		r.steps[len(r.steps)-1].index = len(items)
		items = append(items, r.value())
	}
	r.at++
	r.steps = r.steps[:len(r.steps)-1]
	return items
}

func (r *reading) object() map[string]any {
	r.at++
	r.steps = append(r.steps, step{index: -1})
	r.depth = max(r.depth, len(r.steps))
	top := len(r.steps) - 1
	outer, twice, least := r.duplicate, false, ""
	members := map[string]any{}
	for r.next() != '}' {
		if r.text[r.at] == ',' {
			r.at++
			r.next()
		}
		name, holds := r.quoted()
		r.next()
		r.at++ // the colon
		r.steps[top].name = name
		members[name] = r.member(name, members, &twice, &least)
		if !holds {
			r.escape.note(r.steps)
		}
		if !isNFC(name) {
			r.denormal.note(r.steps)
		}
	}
	r.at++
	if twice && !outer.found {
		r.steps[top].name = least
		r.duplicate = place{}
		r.duplicate.note(r.steps)
	}
	r.steps = r.steps[:top]
	return members
}

// member reads the value of a member and keeps the least of the names that come twice.
func (r *reading) member(name string, members map[string]any, twice *bool, least *string) any {
	if _, ok := members[name]; ok {
		if !*twice || name < *least {
			*least = name
		}
		*twice = true
	}
	return r.value()
}

func (r *reading) string() string {
	text, holds := r.quoted()
	if !holds {
		r.escape.note(r.steps)
	}
	if !isNFC(text) {
		r.denormal.note(r.steps)
	}
	return text
}

// readNumber keeps a number as it is written, except that an odd one is written shortly.
func (r *reading) readNumber() json.Number {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("0123456789+-.eE", r.text[r.at]) >= 0 {
		r.at++
	}
	token := r.text[start:r.at]
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(token, "-")), "e")
	big, long := len(strings.TrimLeft(exponent, "+-")) >= oddExponent, len(mantissa) >= oddMantissa
	if !big && !long {
		return json.Number(token)
	}
	r.bigExponent, r.longMantissa = r.bigExponent || big, r.longMantissa || long
	canonical, exact := canonicalNumber(token)
	if !exact {
		r.number.note(r.steps)
		return json.Number(token)
	}
	return json.Number(canonical)
}
