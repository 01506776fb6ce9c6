package contracts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// schemaViolations lists everything in a value that breaks its schema.
func schemaViolations(schema *jsonschema.Schema, value any) ([]Violation, error) {
	err := schema.Validate(value)
	if err == nil {
		return nil, nil
	}
	var top *jsonschema.ValidationError
	if !errors.As(err, &top) {
		return nil, fmt.Errorf("validate: %w", err)
	}
	found, err := collect(nil, top)
	if err != nil {
		return nil, err
	}
	return inOrder(withoutHalves(found)), nil
}

// withoutHalves drops what the quartets say better.
func withoutHalves(found []Violation) []Violation {
	incomplete := map[string]bool{}
	for _, v := range found {
		if v.Rule == ruleQuartet {
			incomplete[v.Path] = true
		}
	}
	return slices.DeleteFunc(found, func(v Violation) bool { return v.Rule == ruleMemberIsPresent && incomplete[v.Path] })
}

// collect goes through the validator's tree of errors to what stands at its leaves.
func collect(found []Violation, e *jsonschema.ValidationError) ([]Violation, error) {
	switch e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		var err error
		for _, cause := range e.Causes {
			if found, err = collect(found, cause); err != nil {
				return nil, err
			}
		}
		return found, nil
	}
	here, err := leaf(e)
	return append(found, here...), err
}

// leaf gives the violations that one error without causes stands for.
func leaf(e *jsonschema.ValidationError) ([]Violation, error) {
	path := pointer(e.InstanceLocation...)
	switch k := e.ErrorKind.(type) {
	case *broken:
		return []Violation{{path + pointer(k.below...), k.rule, k.detail}}, nil
	case *kind.Required:
		return members(path, k.Missing, ruleMemberIsPresent, "is missing"), nil
	case *kind.AdditionalProperties:
		return members(path, k.Properties, ruleMemberIsKnown, "is not a member of the schema"), nil
	}
	rule, detail := ruleOf(e.ErrorKind)
	if rule == "" {
		return nil, fmt.Errorf("the schema has a keyword without a rule at %s", e.SchemaURL)
	}
	return []Violation{{path, rule, detail}}, nil
}

func members(path string, names []string, rule, detail string) []Violation {
	found := make([]Violation, len(names))
	for i, name := range names {
		if rule == ruleMemberIsKnown {
			name = foreign(name)
		}
		found[i] = Violation{path + pointer(name), rule, detail}
	}
	return found
}

// ruleOf names the rule of a standard keyword and says what the schema wants. Nothing of the document
// goes into the detail.
func ruleOf(k jsonschema.ErrorKind) (rule, detail string) {
	switch k := k.(type) {
	case *kind.Type:
		return ruleType, "must be of type " + strings.Join(k.Want, " or ")
	case *kind.Const:
		return ruleConst, fmt.Sprintf("must be %v", k.Want)
	case *kind.Enum:
		return ruleEnum, "must be one of " + strings.Trim(fmt.Sprint(k.Want), "[]")
	case *kind.Pattern:
		return rulePattern, "must match " + k.Want
	case *kind.MinLength:
		return ruleTextLength, fmt.Sprintf("must have %d characters or more", k.Want)
	case *kind.MaxLength:
		return ruleTextLength, fmt.Sprintf("must have %d characters or fewer", k.Want)
	case *kind.Minimum:
		return ruleNumberBounds, "must be " + k.Want.RatString() + " or more"
	case *kind.Maximum:
		return ruleNumberBounds, "must be " + k.Want.RatString() + " or less"
	}
	return "", ""
}
