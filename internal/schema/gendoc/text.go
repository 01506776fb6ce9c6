package gendoc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/oceanway/outbox/internal/schema"
)

func integer(n int64) token { return token(strconv.FormatInt(n, 10)) }

// pool holds characters that Unicode 14 assigns and that NFC leaves alone. The last four rows are where
// the order of UTF-16 and the order of code points part.
func pool() []schema.Range {
	return []schema.Range{
		{Low: ' ', High: '~'}, {Low: '0', High: '9'}, {Low: 'a', High: 'z'}, {Low: '"', High: '"'}, {Low: '\\', High: '\\'}, {Low: '/', High: '/'},
		{Low: 1, High: 0x1f}, {Low: 0x7f, High: 0x9f},
		{Low: 0xa1, High: 0xff}, {Low: 0x3b1, High: 0x3c9}, {Low: 0x410, High: 0x44f}, {Low: 0x2028, High: 0x2029}, {Low: 0x4e00, High: 0x4eff},
		{Low: 0xac00, High: 0xad00},
		{Low: 0xe000, High: 0xe0ff}, {Low: 0xfb00, High: 0xfb06}, {Low: 0xfffd, High: 0xfffd},
		{Low: 0x1f600, High: 0x1f64f}, {Low: 0x10330, High: 0x10340},
	}
}

// freeText draws a text of any characters.
func freeText(t *rapid.T, most int) string {
	everything := &schema.Class{Negated: true}
	return normal(draw(t, &schema.Repeat{Of: everything, Max: most}))
}

func normal(text string) string { return norm.NFC.String(text) }

// textOf draws a text that a node accepts.
func textOf(t *rapid.T, node *schema.String) string {
	if node.Decimal != nil {
		return decimal(t, node.Decimal)
	}
	var expr schema.Expr = &schema.Repeat{Of: &schema.Class{Negated: true}, Max: schema.Unbounded}
	var form *regexp.Regexp
	if node.Pattern != nil {
		expr, form = node.Pattern.Expr, regexp.MustCompile(node.Pattern.Text)
	}
	expr = within(expr, node.MinLength, node.MaxLength)
	for range 50 {
		text := normal(draw(t, expr))
		length := utf8.RuneCountInString(text)
		if length >= node.MinLength && (node.MaxLength == schema.Unbounded || length <= node.MaxLength) && (form == nil || form.MatchString(text)) {
			return text
		}
	}
	t.Skipf("no text for %s", node.Pointer())
	return ""
}

// within bounds a pattern that is one repetition, so that its lengths are the right ones at once.
func within(expr schema.Expr, low, high int) schema.Expr {
	if sequence, ok := expr.(*schema.Sequence); ok && len(sequence.Parts) == 1 {
		expr = sequence.Parts[0]
	}
	repeat, ok := expr.(*schema.Repeat)
	if !ok {
		return expr
	}
	bounded := *repeat
	bounded.Min = max(bounded.Min, low)
	if high != schema.Unbounded && (bounded.Max == schema.Unbounded || bounded.Max > high) {
		bounded.Max = high
	}
	return &bounded
}

// draw draws a text that an expression describes.
func draw(t *rapid.T, expr schema.Expr) string {
	var text strings.Builder
	switch e := expr.(type) {
	case *schema.Class:
		text.WriteRune(character(t, e))
	case *schema.Sequence:
		for _, part := range e.Parts {
			text.WriteString(draw(t, part))
		}
	case *schema.Choice:
		text.WriteString(draw(t, one(t, e.Branches)))
	case *schema.Repeat:
		for range times(t, e.Min, e.Max) {
			text.WriteString(draw(t, e.Of))
		}
	}
	return text.String()
}

// times draws how often something is there: a few times, or at a bound.
func times(t *rapid.T, low, high int) int {
	const few = 4
	if high == schema.Unbounded {
		return rapid.IntRange(low, low+few).Draw(t, "times")
	}
	if high > low+few && uniform(t, 64) == 63 {
		return rapid.SampledFrom([]int{high, high - 1}).Draw(t, "times")
	}
	return rapid.IntRange(low, min(high, low+few)).Draw(t, "times")
}

func character(t *rapid.T, class *schema.Class) rune {
	var ranges []schema.Range
	for _, r := range class.Ranges {
		if !class.Negated && r.High < 0x80 {
			ranges = append(ranges, r)
		}
	}
	if class.Negated || len(ranges) < len(class.Ranges) {
		ranges = append(ranges, pool()...)
	}
	for range 50 {
		r := one(t, ranges)
		if c := rapid.Int32Range(r.Low, r.High).Draw(t, "character"); c != 0 && contains(class, c) {
			return c
		}
	}
	t.Skip("no character for a class")
	return 0
}

func contains(class *schema.Class, r rune) bool {
	for _, between := range class.Ranges {
		if r >= between.Low && r <= between.High {
			return !class.Negated
		}
	}
	return class.Negated
}

// decimal draws a canonical decimal.
func decimal(t *rapid.T, rule *schema.Decimal) string {
	whole, fraction := "0", ""
	if n := times(t, 0, rule.Precision-rule.Scale); n > 0 {
		whole = digits(t, n)
	}
	if n := times(t, 0, rule.Scale); n > 0 {
		reversed := []byte(digits(t, n))
		reversed[0], reversed[n-1] = reversed[n-1], reversed[0]
		fraction = "." + string(reversed)
	}
	text := whole + fraction
	if rule.Signed && text != "0" && rapid.Bool().Draw(t, "negative") {
		text = "-" + text
	}
	return text
}

// digits draws a number of n digits that does not start with 0.
func digits(t *rapid.T, n int) string {
	return rapid.StringMatching(fmt.Sprintf("[1-9][0-9]{%d}", n-1)).Draw(t, "digits")
}
