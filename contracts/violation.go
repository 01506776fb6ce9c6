package contracts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Violation is one place of a document that breaks one rule of its schema. Nothing in it is a value of
// the document; a member name that the schema does not know appears in the path only.
type Violation struct {
	Path   string // JSON Pointer (RFC 6901), empty for the whole document
	Rule   string // the name of the rule, the same as in the database
	Detail string // what is wrong, in a short sentence
}

// The rules, in the order in which they are judged. A later group is judged only where the earlier
// groups found nothing.
const (
	ruleTextIsJSON      = "text_is_json"
	ruleRawSize         = "raw_size_within_limit"
	ruleNoNUL           = "no_nul_character"
	ruleNoLoneSurrogate = "no_lone_surrogate"
	ruleNesting         = "nesting_within_limit"
	ruleNumberIsExact   = "number_is_exact"
	ruleNoDuplicateKey  = "no_duplicate_key"
	ruleTextIsNFC       = "text_is_nfc"

	ruleType            = "type_is_right"
	ruleConst           = "value_is_expected"
	ruleEnum            = "value_is_listed"
	rulePattern         = "text_matches_pattern"
	ruleTextLength      = "text_length_within_bounds"
	ruleDecimal         = "decimal_is_canonical"
	ruleNumberBounds    = "number_within_bounds"
	ruleArrayLength     = "array_length_within_bounds"
	ruleSorted          = "array_is_sorted"
	ruleNoDuplicate     = "array_has_no_duplicate"
	ruleMemberIsPresent = "member_is_present"
	ruleMemberIsKnown   = "member_is_known"
	ruleQuartet         = "quartet_is_complete"
	ruleCount           = "count_equals_length"
	ruleMembersEqual    = "members_are_equal"
	ruleBranchIsKnown   = "branch_is_known"
	ruleDigestMatches   = "digest_matches"
)

// longestName is what a path holds of a member name that only the document knows, in characters.
const longestName = 64

// whole is a violation of the document as such.
func whole(rule, detail string) []Violation {
	return []Violation{{Rule: rule, Detail: detail}}
}

// inOrder sorts violations by path and rule and drops repetitions.
func inOrder(found []Violation) []Violation {
	slices.SortStableFunc(found, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Rule, b.Rule))
	})
	return slices.CompactFunc(found, func(a, b Violation) bool { return a.Path == b.Path && a.Rule == b.Rule })
}

// pointer is the JSON Pointer of these reference tokens.
func pointer(tokens ...string) string {
	var path strings.Builder
	for _, token := range tokens {
		path.WriteByte('/')
		path.WriteString(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
	}
	return path.String()
}

// foreign is a member name that only the document knows, cut to what a path holds of it.
func foreign(name string) string {
	count := 0
	for i := range name {
		if count == longestName {
			return name[:i]
		}
		count++
	}
	return name
}

// step is one level of the way to a value: a member, or an item.
type step struct {
	name  string
	index int // of an item; -1 for a member
}

func pointerOf(steps []step) string {
	tokens := make([]string, len(steps))
	for i, s := range steps {
		tokens[i] = foreign(s.name)
		if s.index >= 0 {
			tokens[i] = strconv.Itoa(s.index)
		}
	}
	return pointer(tokens...)
}
