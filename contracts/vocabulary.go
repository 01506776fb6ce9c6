package contracts

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The keywords that JSON Schema does not have.
const (
	keywordDigest        = "x-digest"
	keywordNFC           = "x-nfc"
	keywordDiscriminator = "x-discriminator"
	keywordSortedBy      = "x-sorted-by"
	keywordUniqueBy      = "x-unique-by"
	keywordQuartets      = "x-quartets"
	keywordCounts        = "x-counts"
	keywordEqual         = "x-equal"
	keywordDecimal       = "x-decimal"

	// keywordBranches stands in place of oneOf in the schemas that the validator gets: the branch is
	// picked by the discriminator, and only that one is judged.
	keywordBranches = "x-branches"

	// keywordItems and keywordBounds stand in place of items, minItems and maxItems: of an array that is
	// out of bounds nothing else is judged, however long it is.
	keywordItems  = "x-items"
	keywordBounds = "x-bounds"
)

// vocabulary is what the validator has to know of these keywords.
func vocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL:        schemaURL("vocabulary"),
		Subschemas: []jsonschema.SchemaPath{{jsonschema.Prop(keywordBranches), jsonschema.AllItem{}}, {jsonschema.Prop(keywordItems)}},
		Compile:    compileKeywords,
	}
}

// keywords are those of one schema node.
type keywords []jsonschema.SchemaExt

func (k keywords) Validate(ctx *jsonschema.ValidatorContext, value any) {
	for _, keyword := range k {
		keyword.Validate(ctx, value)
	}
}

func compileKeywords(ctx *jsonschema.CompilerContext, node map[string]any) (jsonschema.SchemaExt, error) {
	var found keywords
	for _, name := range slices.Sorted(maps.Keys(node)) {
		if !strings.HasPrefix(name, "x-") {
			continue
		}
		keyword, err := compileKeyword(ctx, node, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if keyword != nil {
			found = append(found, keyword)
		}
	}
	if _, ok := node[keywordItems]; ok {
		return newArray(ctx, node, found)
	}
	if found == nil {
		return nil, nil //nolint:nilnil // what the validator wants for a node without them
	}
	return found, nil
}

func compileKeyword(ctx *jsonschema.CompilerContext, node map[string]any, name string) (keyword jsonschema.SchemaExt, err error) {
	switch name {
	case keywordDigest, keywordNFC, keywordBranches, keywordItems, keywordBounds: // judged elsewhere
		return nil, nil //nolint:nilnil // nothing to judge here
	case keywordDiscriminator:
		return newUnion(ctx, node)
	case keywordSortedBy:
		var members sortedBy
		return &members, decodeKeyword(node[name], &members)
	case keywordUniqueBy:
		var members uniqueBy
		return &members, decodeKeyword(node[name], &members)
	case keywordQuartets:
		var prefixes quartets
		return &prefixes, decodeKeyword(node[name], &prefixes)
	case keywordCounts:
		var counts counts
		return &counts, decodeKeyword(node[name], &counts)
	case keywordEqual:
		var pairs equal
		return &pairs, decodeKeyword(node[name], &pairs)
	case keywordDecimal:
		var form decimalForm
		return &form, decodeKeyword(node[name], &form)
	}
	return nil, errors.New("unknown keyword")
}

// decodeKeyword reads a keyword's value into its type.
func decodeKeyword(value, into any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return nil
}

// union is a oneOf with a discriminator.
type union struct {
	property string
	branches []*jsonschema.Schema
}

func newUnion(ctx *jsonschema.CompilerContext, node map[string]any) (*union, error) {
	property, ok := node[keywordDiscriminator].(string)
	branches, isArray := node[keywordBranches].([]any)
	if !ok || !isArray || len(branches) == 0 {
		return nil, errors.New("no property or no branches")
	}
	u := &union{property: property}
	for i := range branches {
		u.branches = append(u.branches, ctx.Enqueue([]string{keywordBranches, strconv.Itoa(i)}))
	}
	return u, nil
}

// array is a node for arrays: within its bounds its items are judged, and then all of them together.
type array struct {
	bounds   bounds
	items    *jsonschema.Schema
	together keywords
}

// bounds are minItems and maxItems.
type bounds struct {
	MinItems *int `json:"minItems"`
	MaxItems *int `json:"maxItems"`
}

func newArray(ctx *jsonschema.CompilerContext, node map[string]any, together keywords) (*array, error) {
	a := &array{items: ctx.Enqueue([]string{keywordItems}), together: together}
	if err := decodeKeyword(node[keywordBounds], &a.bounds); err != nil {
		return nil, fmt.Errorf("bounds: %w", err)
	}
	return a, nil
}

// forValidator gives a schema as the validator gets it.
func forValidator(node any) any {
	switch node := node.(type) {
	case []any:
		items := make([]any, len(node))
		for i, item := range node {
			items[i] = forValidator(item)
		}
		return items
	case map[string]any:
		_, isUnion := node[keywordDiscriminator].(string)
		isArray := node["type"] == "array"
		limits := map[string]any{}
		members := make(map[string]any, len(node))
		for name, member := range node {
			switch {
			case isUnion && name == "oneOf":
				members[keywordBranches] = forValidator(member)
			case isArray && name == "items":
				members[keywordItems], members[keywordBounds] = forValidator(member), limits
			case isArray && (name == "minItems" || name == "maxItems"):
				limits[name] = member
			default:
				members[name] = forValidator(member)
			}
		}
		return members
	}
	return node
}
