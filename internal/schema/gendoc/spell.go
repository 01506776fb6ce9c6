package gendoc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/oceanway/outbox/internal/schema"
)

// seal puts the digest into a document, where the schema has a member for it. A document without a
// canonical form stays as it is.
func seal(document any, rule *schema.Digest) {
	o, ok := document.(*object)
	if !ok || rule == nil || rule.Member == "" || o.index(rule.Member) < 0 {
		return
	}
	candidate, _ := clone(o).(*object)
	for _, name := range rule.Excludes {
		candidate.remove(name)
	}
	canonical, err := jcs.Transform([]byte(plain(candidate)))
	if err != nil {
		return
	}
	sum := sha256.Sum256(canonical)
	o.set(rule.Member, hex.EncodeToString(sum[:]))
}

// writer writes a value; how it spells it is up to its functions.
type writer struct {
	strings.Builder

	space  func() string
	escape func(r rune) string
	order  func([]member) []member
}

// plain spells a value in the shortest way.
func plain(value any) string {
	w := &writer{space: func() string { return "" }, escape: mustEscape, order: func(m []member) []member { return m }}
	w.value(value)
	return w.String()
}

// spell draws a spelling of a value.
func spell(t *rapid.T, value any) string {
	seed := rapid.Uint64().Draw(t, "spelling") // one draw: what a text looks like is not worth many
	next := func(n uint64) uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return (seed >> 33) % n
	}
	if rapid.Bool().Draw(t, "plain") {
		return plain(value)
	}
	w := &writer{
		space: func() string {
			if next(4) > 0 {
				return ""
			}
			return strings.Repeat([]string{" ", "\n", "\t", "\r\n"}[next(4)], int(next(3)))
		},
		escape: func(r rune) string {
			switch must := mustEscape(r); {
			case next(6) > 0:
				return must
			case r == '/':
				return `\/`
			default:
				return units(r, next(2) == 0)
			}
		},
		order: func(members []member) []member {
			members = slices.Clone(members)
			for i := len(members) - 1; i > 0; i-- {
				j := int(next(uint64(i + 1)))
				members[i], members[j] = members[j], members[i]
			}
			return members
		},
	}
	w.value(value)
	return w.String()
}

func mustEscape(r rune) string {
	switch r {
	case '"', '\\':
		return `\` + string(r)
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	if r < ' ' {
		return units(r, false)
	}
	return string(r)
}

// units spells a character by its UTF-16 code units.
func units(r rune, upper bool) string {
	form := `\u%04x`
	if upper {
		form = `\u%04X`
	}
	var text []byte
	for _, unit := range utf16.Encode([]rune{r}) {
		text = fmt.Appendf(text, form, unit)
	}
	return string(text)
}

func (w *writer) value(value any) {
	w.WriteString(w.space())
	switch v := value.(type) {
	case *object:
		w.object(v)
	case *array:
		w.array(v)
	case string:
		w.text(v)
	case nil:
		w.WriteString("null")
	default:
		fmt.Fprint(w, v) // a token, true, false
	}
	w.WriteString(w.space())
}

func (w *writer) object(o *object) {
	w.WriteString("{" + w.space())
	for i, m := range w.order(o.members) {
		if i > 0 {
			w.WriteString("," + w.space())
		}
		w.text(m.name)
		w.WriteString(w.space() + ":")
		w.value(m.value)
	}
	w.WriteString("}")
}

func (w *writer) array(a *array) {
	w.WriteString("[" + w.space())
	for i, item := range a.items {
		if i > 0 {
			w.WriteString(",")
		}
		w.value(item)
	}
	w.WriteString("]")
}

func (w *writer) text(text string) {
	w.WriteByte('"')
	for _, r := range text {
		w.WriteString(w.escape(r))
	}
	w.WriteByte('"')
}
