package quickcheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
)

// longest is the longest text that is counted: of longer expressions PostgreSQL builds states again.
const longest = 254

func like(path, expression string) string {
	return path + " like_regex " + quoted(expression) + ` flag "s"`
}

func atLeast(path string, n int) string { return like(path, fmt.Sprintf(".{%d}", n)) }
func atMost(path string, n int) string {
	return "!(" + atLeast(path, min(n, longest)+1) + ")"
}

// text judges the characters by an expression, and the length by counting.
func text(path string, n *schema.String) []string {
	low, high := n.MinLength, n.MaxLength
	var list []string
	if n.Pattern != nil {
		var expression string
		expression, low, high = characters(n)
		list = append(list, like(path, expression))
	}
	if n.Decimal != nil {
		list = append(list, like(path, decimal(n.Decimal)))
	}
	if low > longest {
		return []string{never}
	}
	if low > 0 {
		list = append(list, atLeast(path, low))
	}
	if high != schema.Unbounded {
		list = append(list, atMost(path, high))
	}
	if len(list) == 0 {
		list = append(list, path+`.type() == "string"`)
	}
	return list
}

// characters gives an expression for the characters, and the bounds on the length that it leaves open:
// 0 and Unbounded where it leaves none.
func characters(n *schema.String) (expression string, low, high int) {
	loose, low, high := loosened(n.Pattern)
	expression = loose.Text
	low, high = max(low, n.MinLength), tighter(high, n.MaxLength)
	shortest, most := schema.Lengths(loose.Expr)
	if filled, ok := strings.CutSuffix(expression, "*$"); ok && low == 1 && isRepeatedClass(loose.Expr) {
		expression, shortest = filled+"+$", 1
	}
	if low <= shortest {
		low = 0
	}
	if most != schema.Unbounded && tighter(high, most) == most {
		high = schema.Unbounded
	}
	return expression, low, high
}

func tighter(a, b int) int {
	if a == schema.Unbounded || b != schema.Unbounded && b < a {
		return b
	}
	return a
}

// loosened takes the bounds off the one long repetition of a pattern, if all the rest of it has one
// length: then the length of the whole text says the same.
func loosened(pattern *schema.Pattern) (loose *schema.Pattern, shortest, most int) {
	const long = 5
	shortest, most = schema.Lengths(pattern.Expr)
	repeat := variable(pattern.Expr)
	if repeat == nil || repeat.Max < long || most > longest {
		return pattern, 0, schema.Unbounded
	}
	bounds, sign := fmt.Sprintf("{%d,%d}", repeat.Min, repeat.Max), "*"
	if repeat.Min == repeat.Max {
		bounds = fmt.Sprintf("{%d}", repeat.Min)
	}
	if repeat.Min > 0 {
		sign = "+"
	}
	loose, err := schema.ParsePattern(strings.Replace(pattern.Text, bounds, sign, 1))
	if err != nil || strings.Count(pattern.Text, bounds) != 1 {
		return pattern, 0, schema.Unbounded
	}
	return loose, shortest, most
}

// variable finds the one repetition of a class in an expression whose other parts have one length each.
func variable(expr schema.Expr) *schema.Repeat {
	switch e := expr.(type) {
	case *schema.Repeat:
		if _, ok := e.Of.(*schema.Class); ok {
			return e
		}
		// The other parts of an optional group come and go with it. That it is there does not make the
		// text long enough for more than one.
		if repeat := variable(e.Of); repeat != nil && repeat.Min <= 1 && e.Min == 0 && e.Max == 1 {
			return repeat
		}
	case *schema.Sequence:
		if len(e.Parts) == 1 {
			return variable(e.Parts[0])
		}
		vary := slices.DeleteFunc(slices.Clone(e.Parts), fixed)
		if len(vary) == 1 {
			return variable(vary[0])
		}
	}
	return nil
}

func fixed(expr schema.Expr) bool {
	low, high := schema.Lengths(expr)
	return low == high
}

// isRepeatedClass tells that an expression is one class, any number of times.
func isRepeatedClass(expr schema.Expr) bool {
	sequence, ok := expr.(*schema.Sequence)
	if !ok || len(sequence.Parts) != 1 {
		return false
	}
	repeat, ok := sequence.Parts[0].(*schema.Repeat)
	if !ok {
		return false
	}
	_, ok = repeat.Of.(*schema.Class)
	return ok
}

// decimal is x-decimal as an expression.
func decimal(d *schema.Decimal) string {
	whole, fraction := fmt.Sprintf("[1-9][0-9]{0,%d}", d.Precision-d.Scale-1), ""
	if d.Precision-d.Scale == 1 {
		whole = "[1-9]"
	}
	switch {
	case d.Scale == 1:
		fraction = "[.][1-9]"
	case d.Scale > 1:
		fraction = fmt.Sprintf("[.][0-9]{0,%d}[1-9]", d.Scale-1)
	}
	switch {
	case fraction == "" && d.Signed:
		return "^(0|-?" + whole + ")$"
	case fraction == "":
		return "^(0|" + whole + ")$"
	case d.Signed:
		return "^(0|-?(0" + fraction + "|" + whole + "(" + fraction + ")?))$"
	}
	return "^(0|" + whole + ")(" + fraction + ")?$"
}
