package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
)

// goStruct is a struct to write.
type goStruct struct {
	schemaName  string // whose file it goes into
	name        string
	place       string
	description string
	shapes      []*schema.Object // more than one where there is a union
	tells       string           // the member that tells them apart
}

// structure writes a struct with the members of all objects that the nodes allow.
func (w *goWriter) structure(s goStruct, nodes ...schema.Node) {
	if err := w.names.take(s.name, s.place); err != nil {
		w.fail("%w", err)
		return
	}
	s.shapes = shapes(nodes)
	if len(s.shapes) > 1 {
		if s.tells = discriminator(nodes, s.shapes); s.tells == "" {
			w.fail("%s: no member tells its shapes apart", s.place)
			return
		}
		s.description += " " + goName(s.tells) + " tells which members it has."
	}
	at := len(w.files[s.schemaName]) // the structs of its fields come after it
	w.files[s.schemaName] = append(w.files[s.schemaName], "")
	var text strings.Builder
	text.WriteString("\n" + goDoc("", s.description) + "type " + s.name + " struct {\n")
	var done []string
	for _, shape := range s.shapes {
		for _, property := range shape.Properties {
			if !slices.Contains(done, property.Name) {
				done = append(done, property.Name)
				text.WriteString(w.field(s, property.Name))
			}
		}
	}
	text.WriteString("}\n")
	w.files[s.schemaName][at] = text.String()
}

// shapes lists the objects that nodes allow, each once.
func shapes(nodes []schema.Node) (list []*schema.Object) {
	add := func(object *schema.Object) {
		if !slices.Contains(list, object) {
			list = append(list, object)
		}
	}
	for _, node := range nodes {
		switch n := schema.Resolve(node).(type) {
		case *schema.Object:
			add(n)
		case *schema.Union:
			for _, branch := range n.Branches {
				add(branch.Object())
			}
		}
	}
	return list
}

// discriminator finds the member that tells shapes apart: that of a union, or else the first that has
// literals everywhere and not the same ones.
func discriminator(nodes []schema.Node, shapes []*schema.Object) string {
	var names []string
	for _, node := range nodes {
		if union, ok := schema.Resolve(node).(*schema.Union); ok {
			names = append(names, union.Discriminator)
		}
	}
	for _, property := range shapes[0].Properties {
		names = append(names, property.Name)
	}
	for _, name := range names {
		first, alike, everywhere := literals(shapes[0], name), true, true
		for _, shape := range shapes {
			own := literals(shape, name)
			alike = alike && slices.Equal(own, first)
			everywhere = everywhere && len(own) > 0 && shape.Requires(name)
		}
		if everywhere && !alike {
			return name
		}
	}
	return ""
}

// literals lists the values that a member may have, as JSON; nil where it may have others.
func literals(object *schema.Object, name string) (list []string) {
	node, _ := object.Property(name)
	switch n := schema.Resolve(node).(type) {
	case *schema.Const:
		return []string{literal(n.Value)}
	case *schema.Enum:
		for _, value := range n.Values {
			list = append(list, literal(value))
		}
	}
	return list
}

// field writes the field of a member that some of the shapes have.
func (w *goWriter) field(s goStruct, name string) string {
	var nodes []schema.Node
	var values, where []string
	description, required, open := "", true, false
	for _, shape := range s.shapes {
		node, ok := shape.Property(name)
		required = required && ok && shape.Requires(name)
		if !ok {
			continue
		}
		nodes = append(nodes, node)
		if description == "" {
			description = sentence(node.Description())
		}
		own := literals(shape, name)
		open = open || own == nil
		values = merge(values, own)
		where = merge(where, literals(shape, s.tells))
	}
	sentences := []string{description}
	if len(values) > 0 && !open {
		sentences = append(sentences, oneOf(values))
	}
	if len(nodes) < len(s.shapes) {
		sentences = append(sentences, "Where "+goName(s.tells)+" is "+enumerate(where, "or")+".")
	}
	goType, option := w.optional(w.goType(s, name, nodes), nodes, required)
	return goDoc("\t", sentences...) + "\t" + goName(name) + " " + goType + " `json:\"" + name + option + "\"`\n"
}

func merge(list, more []string) []string {
	for _, item := range more {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

func oneOf(values []string) string {
	if len(values) == 1 {
		return "Always " + values[0] + "."
	}
	return "One of " + enumerate(values, "and") + "."
}

func enumerate(values []string, last string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	return strings.Join(values[:len(values)-1], ", ") + " " + last + " " + values[len(values)-1]
}

// optional gives a field that may be absent a type whose zero value is no valid value, and the option of
// its tag that leaves it out.
func (w *goWriter) optional(goType string, nodes []schema.Node, required bool) (withPointer, option string) {
	switch {
	case required:
		return goType, ""
	case strings.HasPrefix(goType, "[]"):
		return goType, ",omitzero" // an empty list is there, nil is not
	case goType == rawType, goType == "string" && !slices.ContainsFunc(nodes, mayBeEmpty):
		return goType, ",omitempty"
	}
	return "*" + goType, ",omitempty"
}

// mayBeEmpty tells that "" is a valid value. It never is a constant.
func mayBeEmpty(node schema.Node) bool {
	text, ok := schema.Resolve(node).(*schema.String)
	return ok && text.MinLength == 0 && text.Decimal == nil &&
		(text.Pattern == nil || regexp.MustCompile(text.Pattern.Text).MatchString(""))
}
