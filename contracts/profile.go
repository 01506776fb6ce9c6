package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// canonicalFault is what keeps a value from its canonical form: too many levels, or a number that
// is another one as a double. It looks at the members in canonical order and finds the first place.
func canonicalFault(value any, steps []step) *Violation {
	switch value := value.(type) {
	case json.Number:
		if _, exact := canonicalNumber(value.String()); !exact {
			return &Violation{pointerOf(steps), ruleNumberIsExact, "is a number that a double changes"}
		}
	case []any:
		if len(steps) >= maxNesting {
			return &Violation{pointerOf(steps), ruleNesting, deeperThan(maxNesting)}
		}
		for i, item := range value {
			if v := canonicalFault(item, append(steps, step{index: i})); v != nil {
				return v
			}
		}
	case map[string]any:
		if len(steps) >= maxNesting {
			return &Violation{pointerOf(steps), ruleNesting, deeperThan(maxNesting)}
		}
		for _, name := range slices.SortedFunc(maps.Keys(value), compareUTF16) {
			if v := canonicalFault(value[name], append(steps, step{name: name, index: -1})); v != nil {
				return v
			}
		}
	}
	return nil
}

// tooDeep tells whether a value has more than so many levels of objects and arrays.
func tooDeep(value any, levels int) bool {
	switch value := value.(type) {
	case []any:
		return levels < 1 || slices.ContainsFunc(value, func(item any) bool { return tooDeep(item, levels-1) })
	case map[string]any:
		if levels < 1 {
			return true
		}
		for _, member := range value {
			if tooDeep(member, levels-1) {
				return true
			}
		}
	}
	return false
}

func deeperThan(levels int) string { return fmt.Sprintf("nests deeper than %d levels", levels) }
