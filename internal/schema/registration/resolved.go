package registration

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
)

// resolver replaces references by what they name. The model has refused references that lead nowhere or
// in a circle before it is used.
type resolver map[string]map[string]any

func newResolver(schemas []*schema.Schema) (resolver, error) {
	documents := resolver{}
	for _, s := range schemas {
		var document map[string]any
		if err := json.Unmarshal(s.Document, &document); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		documents[s.Name] = document
	}
	return documents, nil
}

// text is contracts.schemas.resolved in SQL: what is left of a schema when every reference is replaced
// and everything that judges no value is gone.
func (r resolver) text(s *schema.Schema) (string, error) {
	plain, err := json.Marshal(r.node(s.Name, r[s.Name]))
	if err != nil {
		return "", fmt.Errorf("write the resolved schema: %w", err)
	}
	return literal(plain)
}

// node resolves one schema node; in tells whose local references it holds.
func (r resolver) node(in string, node map[string]any) map[string]any {
	if reference, ok := node["$ref"].(string); ok {
		document, definition, _ := strings.Cut(reference, "#/$defs/")
		if document != "" {
			in = strings.TrimPrefix(document, schema.Prefix)
		}
		if definition == "" {
			return r.node(in, r[in])
		}
		return r.node(in, member(member(r[in], "$defs"), definition))
	}
	kept := map[string]any{}
	for keyword, value := range node {
		switch keyword {
		case "$schema", "$id", "$defs", "title", "description", "x-nfc", "x-digest":
		case "properties":
			kept[keyword] = r.properties(in, value)
		case "items", "if", "then":
			kept[keyword] = r.node(in, object(value))
		case "oneOf", "allOf":
			kept[keyword] = r.nodes(in, value)
		default:
			kept[keyword] = value
		}
	}
	return kept
}

func (r resolver) properties(in string, value any) map[string]any {
	kept := map[string]any{}
	for name, property := range object(value) {
		kept[name] = r.node(in, object(property))
	}
	return kept
}

func (r resolver) nodes(in string, value any) []any {
	list, _ := value.([]any)
	kept := make([]any, len(list))
	for i, item := range list {
		kept[i] = r.node(in, object(item))
	}
	return kept
}

func member(of map[string]any, name string) map[string]any { return object(of[name]) }

func object(value any) map[string]any {
	members, _ := value.(map[string]any)
	return members
}
