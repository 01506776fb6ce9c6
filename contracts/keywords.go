package contracts

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/message"
)

// broken is what our keywords report to the validator.
type broken struct {
	rule   string
	detail string
	below  []string // the way from the judged value to the place
}

// KeywordPath is not asked for: the rule says it.
func (b *broken) KeywordPath() []string { return nil }

// LocalizedString is the detail.
func (b *broken) LocalizedString(*message.Printer) string { return b.detail }

// Validate judges the branch that the discriminator picks, and no other.
func (u *union) Validate(ctx *jsonschema.ValidatorContext, value any) {
	object, ok := value.(map[string]any)
	if !ok {
		ctx.AddError(&broken{ruleType, "must be an object", nil})
		return
	}
	picked, ok := object[u.property]
	if !ok {
		ctx.AddError(&broken{ruleMemberIsPresent, "is missing", []string{u.property}})
		return
	}
	at := slices.IndexFunc(u.branches, func(branch *jsonschema.Schema) bool { return picks(branch, u.property, picked) })
	if at < 0 {
		ctx.AddError(&broken{ruleBranchIsKnown, "picks none of the known branches", []string{u.property}})
		return
	}
	if err := ctx.Validate(u.branches[at], value, nil); err != nil {
		ctx.AddErr(err)
	}
}

// Validate judges the number of items, and where that is right each item and their order.
func (a *array) Validate(ctx *jsonschema.ValidatorContext, value any) {
	items, ok := value.([]any)
	if !ok {
		return // its type says so
	}
	if a.bounds.MinItems != nil && len(items) < *a.bounds.MinItems || a.bounds.MaxItems != nil && len(items) > *a.bounds.MaxItems {
		ctx.AddError(&broken{ruleArrayLength, "has too few or too many items", nil})
		return
	}
	for i, item := range items {
		if err := ctx.Validate(a.items, item, []string{strconv.Itoa(i)}); err != nil {
			ctx.AddErr(err)
		}
	}
	a.together.Validate(ctx, value)
}

// picks tells whether a branch has this value for its discriminator.
func picks(branch *jsonschema.Schema, property string, value any) bool {
	branch = target(branch)
	schema, ok := branch.Properties[property]
	if !ok {
		return false
	}
	schema = target(schema)
	if schema.Const != nil {
		return same(*schema.Const, value)
	}
	return schema.Enum != nil && slices.ContainsFunc(schema.Enum.Values, func(listed any) bool { return same(listed, value) })
}

// target follows references.
func target(schema *jsonschema.Schema) *jsonschema.Schema {
	for schema.Ref != nil {
		schema = schema.Ref
	}
	return schema
}

// same tells whether two values are equal. Numbers are compared as decimal numbers.
func same(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && sameNumber(a.String(), b.String())
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			if other, ok := b[name]; !ok || !same(value, other) {
				return false
			}
		}
		return true
	case string, bool, nil:
		return a == b
	}
	return false
}

func sameNumber(a, b string) bool {
	digits, exponent := decimal(a)
	otherDigits, otherExponent := decimal(b)
	sameSign := strings.HasPrefix(a, "-") == strings.HasPrefix(b, "-")
	return digits == otherDigits && exponent == otherExponent && (sameSign || digits == "")
}

// quartets are prefixes of four members that are all present or all absent.
type quartets []string

// Validate reports the members that are missing beside others of their quartet.
func (q *quartets) Validate(ctx *jsonschema.ValidatorContext, value any) {
	object, _ := value.(map[string]any)
	for _, prefix := range *q {
		var missing []string
		for _, suffix := range []string{"Ref", "SchemaVersion", "DigestAlgorithmVersion", "Digest"} {
			if _, ok := object[prefix+suffix]; !ok {
				missing = append(missing, prefix+suffix)
			}
		}
		if len(missing) == 4 {
			continue
		}
		for _, name := range missing {
			ctx.AddError(&broken{ruleQuartet, "is missing although others of the four are there", []string{name}})
		}
	}
}

// counts gives for each member that counts the array whose items it counts.
type counts map[string]string

// Validate compares numbers with the lengths of arrays.
func (c *counts) Validate(ctx *jsonschema.ValidatorContext, value any) {
	object, _ := value.(map[string]any)
	for counter, counted := range *c {
		items, ok := object[counted].([]any)
		number, isNumber := object[counter].(json.Number)
		if ok && isNumber && !sameNumber(number.String(), strconv.Itoa(len(items))) {
			ctx.AddError(&broken{ruleCount, "is not the length of " + counted, []string{counter}})
		}
	}
}

// equal gives pairs of pointers to members that are equal.
type equal map[string]string

// Validate compares the two members of each pair, where both are there.
func (e *equal) Validate(ctx *jsonschema.ValidatorContext, value any) {
	for first, second := range *e {
		a, found := lookUp(value, tokensOf(first))
		b, alsoFound := lookUp(value, tokensOf(second))
		if found && alsoFound && !same(a, b) {
			ctx.AddError(&broken{ruleMembersEqual, "differs from " + second, tokensOf(first)})
		}
	}
}

// tokensOf takes a JSON Pointer apart.
func tokensOf(pointer string) []string {
	tokens := strings.Split(pointer, "/")[1:]
	for i, token := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	}
	return tokens
}

func lookUp(value any, tokens []string) (found any, ok bool) {
	for _, token := range tokens {
		object, _ := value.(map[string]any)
		if value, ok = object[token]; !ok {
			return nil, false
		}
	}
	return value, true
}

// decimalForm is a decimal number in a text.
type decimalForm struct {
	Precision int  `json:"precision"`
	Scale     int  `json:"scale"`
	Signed    bool `json:"signed"`
}

// Validate reports a text that is not the one way to write its number.
func (d *decimalForm) Validate(ctx *jsonschema.ValidatorContext, value any) {
	text, ok := value.(string)
	if ok && !d.fits(text) {
		ctx.AddError(&broken{ruleDecimal, "is not a canonical decimal number of this precision and scale", nil})
	}
}

func (d *decimalForm) fits(text string) bool {
	digits, negative := strings.CutPrefix(text, "-")
	integer, fraction, pointed := strings.Cut(digits, ".")
	switch {
	case negative && (!d.Signed || digits == "0"):
		return false
	case strings.Trim(integer, "0123456789") != "" || strings.Trim(fraction, "0123456789") != "":
		return false
	case integer == "" || (len(integer) > 1 && integer[0] == '0'):
		return false
	case pointed && (fraction == "" || strings.HasSuffix(fraction, "0")):
		return false
	}
	return len(fraction) <= d.Scale && (integer == "0" || len(integer) <= d.Precision-d.Scale)
}
