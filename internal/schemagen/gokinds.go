package main

import (
	"github.com/oceanway/outbox/internal/schema"
)

// goType is the type of a field that stands for the nodes of one member.
func (w *goWriter) goType(s goStruct, name string, nodes []schema.Node) string {
	found := ""
	for _, node := range nodes {
		kind := kindOf(node)
		if found != "" && found != kind {
			w.fail("%s: %s is a %s as well as a %s", s.place, name, found, kind)
		}
		found = kind
	}
	switch found {
	case kindObject:
		return w.structOf(s, name, nodes)
	case kindArray:
		var items []schema.Node
		for _, node := range nodes {
			if array, ok := schema.Resolve(node).(*schema.Array); ok {
				items = append(items, array.Items)
			}
		}
		return "[]" + w.goType(s, name+"Item", items)
	case kindOpen:
		w.raw[s.schemaName] = true
		return rawType
	}
	return found
}

// rawType is the Go type of an open object.
const rawType = "json.RawMessage"

// What a JSON value is in Go; the scalars by the name of the Go type.
const (
	kindString  = "string"
	kindInteger = "int64"
	kindBoolean = "bool"
	kindArray   = "array"
	kindObject  = "object"
	kindOpen    = "open object"
)

func kindOf(node schema.Node) string {
	switch n := schema.Resolve(node).(type) {
	case *schema.Const:
		switch n.Value.(type) {
		case int64:
			return kindInteger
		case bool:
			return kindBoolean
		}
	case *schema.Integer:
		return kindInteger
	case *schema.Boolean:
		return kindBoolean
	case *schema.Array:
		return kindArray
	case *schema.Object, *schema.Union:
		return kindObject
	case *schema.Open:
		return kindOpen
	}
	return kindString
}

// structOf is the struct of a member: that of the schema or definition that all nodes refer to, or else
// one of its own.
func (w *goWriter) structOf(s goStruct, name string, nodes []schema.Node) string {
	if first, ok := nodes[0].(*schema.Ref); ok {
		schemaName, definition := first.Leads()
		same := true
		for _, node := range nodes {
			ref, ok := node.(*schema.Ref)
			same = same && ok && ref.Target() == first.Target()
		}
		if same {
			return w.request(schemaName, definition, first.Target())
		}
	}
	own := goStruct{schemaName: s.schemaName, name: s.name + goName(name), place: s.place + "/" + name}
	own.description = own.name + " is " + name + " of " + s.name + "."
	for _, node := range nodes {
		if description := sentence(node.Description()); description != "" {
			own.description += " " + description
			break
		}
	}
	w.structure(own, nodes...)
	return own.name
}
