package schema

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Pattern is a regular expression of the part that RE2, PostgreSQL and ECMAScript read alike. It
// describes a whole text, from ^ to $.
type Pattern struct {
	Text string
	Expr Expr
}

// Expr is one of *Class, *Sequence, *Choice, *Repeat.
type Expr interface{ expr() }

type (
	// Class is one character: one within the ranges, or one outside of them.
	Class struct {
		Ranges  []Range
		Negated bool
	}
	// Range is a range of code points, both ends included.
	Range struct{ Low, High rune }
	// Sequence is one expression after the other.
	Sequence struct{ Parts []Expr }
	// Choice is one of its branches.
	Choice struct{ Branches []Expr }
	// Repeat is an expression some times; Max may be Unbounded.
	Repeat struct {
		Of       Expr
		Min, Max int
	}
)

func (*Class) expr()    {}
func (*Sequence) expr() {}
func (*Choice) expr()   {}
func (*Repeat) expr()   {}

// punctuation may be escaped.
const punctuation = `^$\.*+?()[]{}|/`

// maxRepeat is what all three kinds of expressions can count to.
const maxRepeat = 255

// ParsePattern reads a pattern and refuses what the three kinds of expressions read differently.
func ParsePattern(text string) (*Pattern, error) {
	inner, ok := strings.CutPrefix(text, "^")
	if inner, ok = cutEnd(inner, ok); !ok {
		return nil, errors.New("does not reach from ^ to $")
	}
	if strings.ContainsRune(text, 0) {
		return nil, errors.New("holds U+0000")
	}
	p := &patternParser{rest: []rune(inner)}
	expr, err := p.choice()
	if err != nil {
		return nil, err
	}
	if len(p.rest) > 0 {
		return nil, errors.New("has a closing parenthesis too many")
	}
	if _, ok := expr.(*Choice); ok {
		return nil, errors.New("has alternatives beside ^ or $: put them into parentheses")
	}
	if _, err := regexp.Compile(text); err != nil {
		return nil, fmt.Errorf("is refused by RE2: %w", err)
	}
	return &Pattern{text, expr}, nil
}

// cutEnd takes off the $ of the end, unless it is escaped.
func cutEnd(text string, ok bool) (string, bool) {
	text, end := strings.CutSuffix(text, "$")
	escapes := len(text) - len(strings.TrimRight(text, `\`))
	return text, ok && end && escapes%2 == 0
}

type patternParser struct{ rest []rune }

func (p *patternParser) next() rune {
	r := p.rest[0]
	p.rest = p.rest[1:]
	return r
}

func (p *patternParser) at(text string) bool {
	return strings.HasPrefix(string(p.rest), text)
}

func (p *patternParser) skip(text string) bool {
	if !p.at(text) {
		return false
	}
	p.rest = p.rest[len([]rune(text)):]
	return true
}

// choice reads alternatives up to the end or to a closing parenthesis.
func (p *patternParser) choice() (Expr, error) {
	var branches []Expr
	for {
		branch, err := p.sequence()
		if err != nil {
			return nil, err
		}
		branches = append(branches, branch)
		if !p.skip("|") {
			break
		}
	}
	if len(branches) == 1 {
		return branches[0], nil
	}
	return &Choice{branches}, nil
}

func (p *patternParser) sequence() (Expr, error) {
	sequence := &Sequence{}
	for len(p.rest) > 0 && !p.at("|") && !p.at(")") {
		atom, err := p.atom()
		if err != nil {
			return nil, err
		}
		if atom, err = p.quantified(atom); err != nil {
			return nil, err
		}
		sequence.Parts = append(sequence.Parts, atom)
	}
	if len(sequence.Parts) == 0 {
		return nil, errors.New("has an alternative, a group or a pattern that is empty")
	}
	return sequence, nil
}

func (p *patternParser) atom() (Expr, error) {
	switch r := p.next(); r {
	case '(':
		if p.at("?") && !p.skip("?:") {
			return nil, errors.New("has a group with a flag or a look around")
		}
		group, err := p.choice()
		if err != nil {
			return nil, err
		}
		if !p.skip(")") {
			return nil, errors.New("has an open parenthesis")
		}
		return group, nil
	case '[':
		return p.class()
	case '\\':
		r, err := p.escaped("")
		return single(r), err
	case '.', '^', '$', '*', '+', '?', '{', '}', ']':
		return nil, fmt.Errorf("holds a bare %c", r)
	default:
		if err := literal(r); err != nil {
			return nil, err
		}
		return single(r), nil
	}
}

func literal(r rune) error {
	if r < ' ' {
		return errors.New("holds a control character outside of a class")
	}
	return nil
}

func single(r rune) *Class { return &Class{Ranges: []Range{{r, r}}} }

func (p *patternParser) escaped(more string) (rune, error) {
	if len(p.rest) == 0 {
		return 0, errors.New("ends in a backslash")
	}
	r := p.next()
	if !strings.ContainsRune(punctuation+more, r) {
		return 0, fmt.Errorf(`holds the escape \%c`, r)
	}
	return r, nil
}

func (p *patternParser) class() (Expr, error) {
	class := &Class{Negated: p.skip("^")}
	for first := true; ; first = false {
		if len(p.rest) == 0 {
			return nil, errors.New("has an open bracket")
		}
		if p.skip("]") {
			if first {
				return nil, errors.New("has an empty class, or one that starts with a bracket: escape it")
			}
			return class, nil
		}
		between, err := p.classRange()
		if err != nil {
			return nil, err
		}
		class.Ranges = append(class.Ranges, between)
	}
}

func (p *patternParser) classRange() (between Range, err error) {
	if between.Low, err = p.classRune(); err != nil {
		return between, err
	}
	between.High = between.Low
	if !p.at("-") || p.at("-]") {
		return between, nil
	}
	p.next()
	if len(p.rest) == 0 {
		return between, errors.New("has an open bracket")
	}
	if between.High, err = p.classRune(); err != nil {
		return between, err
	}
	if between.High < between.Low {
		return between, errors.New("has a range that ends before it starts")
	}
	return between, nil
}

func (p *patternParser) classRune() (rune, error) {
	switch r := p.next(); r {
	case '\\':
		return p.escaped("-")
	case '[', '&', '~':
		if r == '[' || len(p.rest) > 0 && p.rest[0] == r {
			return 0, fmt.Errorf("holds a bare %c in a class", r)
		}
		return r, nil
	default:
		return r, nil
	}
}

func (p *patternParser) quantified(atom Expr) (Expr, error) {
	repeat := &Repeat{Of: atom}
	switch {
	case p.skip("*"):
		repeat.Max = Unbounded
	case p.skip("+"):
		repeat.Min, repeat.Max = 1, Unbounded
	case p.skip("?"):
		repeat.Max = 1
	case p.skip("{"):
		if err := p.bounds(repeat); err != nil {
			return nil, err
		}
	default:
		return atom, nil
	}
	for _, r := range "*+?{" {
		if p.at(string(r)) {
			return nil, errors.New("has a lazy or a repeated quantifier")
		}
	}
	return repeat, nil
}

func (p *patternParser) bounds(repeat *Repeat) error {
	inner, rest, ok := strings.Cut(string(p.rest), "}")
	if !ok {
		return errors.New("has an open brace")
	}
	p.rest = []rune(rest)
	low, high, ranged := strings.Cut(inner, ",")
	if !ranged {
		high = low
	}
	var err1, err2 error
	repeat.Min, err1 = strconv.Atoi(low)
	if high == "" {
		repeat.Max = Unbounded
	} else {
		repeat.Max, err2 = strconv.Atoi(high)
	}
	switch {
	case err1 != nil || err2 != nil || strings.ContainsAny(inner, "+- "):
		return fmt.Errorf("has the bounds {%s}", inner)
	case repeat.Min > maxRepeat || repeat.Max > maxRepeat:
		return fmt.Errorf("repeats more than %d times", maxRepeat)
	case repeat.Max != Unbounded && repeat.Max < max(repeat.Min, 1):
		return fmt.Errorf("has the bounds {%s}", inner)
	}
	return nil
}
