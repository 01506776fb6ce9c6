package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
)

// typescript writes contracts/typescript/src/contracts.ts, where every schema and every definition is a
// type, and namespaces.ts, which says what each namespace derives from.
func (g *generator) typescript() error {
	text, err := g.typescriptTypes()
	if err != nil {
		return err
	}
	if err := g.write(g.path("contracts/typescript/src/contracts.ts"), text); err != nil {
		return err
	}
	return g.write(g.path("contracts/typescript/src/namespaces.ts"), g.typescriptNamespaces())
}

func (g *generator) typescriptTypes() ([]byte, error) {
	w := &typescriptWriter{g: g, names: unique{}}
	for _, s := range g.schemas.Ordered() {
		for _, definition := range s.Defs {
			w.declare(s.Name, definition.Name, definition.Node)
		}
		if s.Root != nil {
			w.declare(s.Name, "", s.Root)
		}
	}
	header := generatedMark
	if w.open {
		header += "\nimport type { JsonObject } from \"./canonical.js\";\n"
	}
	return []byte(header + w.text.String()), w.err
}

type typescriptWriter struct {
	g     *generator
	text  strings.Builder
	names unique
	open  bool // JsonObject is used
	err   error
}

func (w *typescriptWriter) declare(schemaName, definition string, node schema.Node) {
	name, place := w.g.schemas.TypeName(schemaName, definition), schemaName
	if definition != "" {
		place += "#/$defs/" + definition
	}
	if err := w.names.take(name, place); err != nil && w.err == nil {
		w.err = err
	}
	description := node.Description()
	if definition == "" {
		description = schemaName + ". " + description
	}
	fmt.Fprintf(&w.text, "\n%sexport type %s =%s;\n", typescriptDoc(description, ""), name, w.afterMark(node, ""))
}

// afterMark writes a type after : or =, a union on lines of its own.
func (w *typescriptWriter) afterMark(node schema.Node, indent string) string {
	if _, ok := node.(*schema.Union); ok {
		return w.node(node, indent)
	}
	return " " + w.node(node, indent)
}

// node writes a type. indent is that of the line it starts on.
func (w *typescriptWriter) node(node schema.Node, indent string) string {
	switch n := node.(type) {
	case *schema.Ref:
		return w.g.schemas.TypeName(n.Leads())
	case *schema.Const:
		return literal(n.Value)
	case *schema.Enum:
		literals := make([]string, len(n.Values))
		for i, value := range n.Values {
			literals[i] = literal(value)
		}
		return strings.Join(literals, " | ")
	case *schema.String:
		return "string"
	case *schema.Integer:
		return "number"
	case *schema.Boolean:
		return "boolean"
	case *schema.Array:
		return "ReadonlyArray<" + w.node(n.Items, indent) + ">"
	case *schema.Open:
		w.open = true
		return "JsonObject"
	case *schema.Object:
		return w.object(n, indent)
	case *schema.Union:
		return w.union(n, indent)
	}
	return "never"
}

func (w *typescriptWriter) object(o *schema.Object, indent string) string {
	var text strings.Builder
	text.WriteString("{\n")
	inner := indent + "  "
	for _, property := range o.Properties {
		text.WriteString(typescriptDoc(property.Node.Description(), inner))
		optional := "?"
		if o.Requires(property.Name) {
			optional = ""
		}
		fmt.Fprintf(&text, "%sreadonly %s%s:%s;\n", inner, property.Name, optional, w.afterMark(property.Node, inner))
	}
	text.WriteString(indent + "}")
	return text.String()
}

func (w *typescriptWriter) union(u *schema.Union, indent string) string {
	var text strings.Builder
	inner := indent + "  "
	for _, branch := range u.Branches {
		text.WriteString("\n" + typescriptDoc(branch.Node.Description(), inner))
		text.WriteString(inner + "| " + w.node(branch.Node, inner+"  "))
	}
	return text.String()
}

// typescriptDoc writes a description as a comment.
func typescriptDoc(description, indent string) string {
	if description == "" {
		return ""
	}
	description = strings.ReplaceAll(description, "*/", "* /")
	if line := indent + "/** " + description + " */"; len(line) <= textWidth {
		return line + "\n"
	}
	lines := wrap(description, textWidth-len(indent)-3)
	return indent + "/**\n" + indent + " * " + strings.Join(lines, "\n"+indent+" * ") + "\n" + indent + " */\n"
}

// literal writes a constant as JSON, which TypeScript reads alike.
func literal(value schema.Scalar) string {
	text, _ := json.Marshal(value) //nolint:errchkjson // a string, an integer or a boolean
	return string(text)
}

func (g *generator) typescriptNamespaces() []byte {
	var candidates []string
	var text, types strings.Builder
	for _, n := range g.namespaces {
		name := g.schemas.TypeName(n.CandidateSchema, "")
		if !slices.Contains(candidates, name) {
			candidates = append(candidates, name)
		}
		text.WriteString(typescriptDoc(n.Description, "  "))
		fmt.Fprintf(&text, "  %s: {\n    id: %q,\n    candidateSchema: %q,\n  },\n", n.Namespace, n.NamespaceID, n.CandidateSchema)
		fmt.Fprintf(&types, "  readonly %s: %s;\n", n.Namespace, name)
	}
	slices.Sort(candidates)
	return fmt.Appendf(nil, `%s
import type {
  %s,
} from "./contracts.js";

/** The namespaces of derived identifiers and keys. */
export const namespaces = {
%s} as const;

/** What the identifiers and keys of each namespace are derived from. */
export type Candidates = {
%s};

/** The name of a namespace. */
export type Namespace = keyof Candidates;
`, generatedMark, strings.Join(candidates, ",\n  "), text.String(), types.String())
}
