package contracts

import (
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sortedBy names the members by which the items of an array ascend.
type sortedBy []string

// Validate reports each item that is less than the one before it.
func (s *sortedBy) Validate(ctx *jsonschema.ValidatorContext, value any) {
	var before []string
	for i, tuple := range tuples(value, *s) {
		if tuple == nil {
			continue
		}
		if before != nil && slices.CompareFunc(tuple, before, compareUTF16) < 0 {
			ctx.AddError(&broken{ruleSorted, "belongs before the item that precedes it", []string{strconv.Itoa(i)}})
		}
		before = tuple
	}
}

// uniqueBy names the members that no two items of an array have in common.
type uniqueBy []string

// Validate reports each item whose members an earlier one has.
func (u *uniqueBy) Validate(ctx *jsonschema.ValidatorContext, value any) {
	seen := map[string]bool{}
	for i, tuple := range tuples(value, *u) {
		if tuple == nil {
			continue
		}
		key := pointer(tuple...)
		if seen[key] {
			ctx.AddError(&broken{ruleNoDuplicate, "is there already", []string{strconv.Itoa(i)}})
		}
		seen[key] = true
	}
}

// tuples gives the named members of each item; nil for an item where they are not all texts.
func tuples(value any, names []string) [][]string {
	items, _ := value.([]any)
	found := make([][]string, len(items))
	for i, item := range items {
		object, _ := item.(map[string]any)
		tuple := make([]string, 0, len(names))
		for _, name := range names {
			if text, ok := object[name].(string); ok {
				tuple = append(tuple, text)
			}
		}
		if len(tuple) == len(names) {
			found[i] = tuple
		}
	}
	return found
}
