package schema

import (
	"slices"
	"strconv"
)

func item(at string, i int) string { return Pointer(at, strconv.Itoa(i)) }

func (p *parser) conditionals(at string, value any) (list []Conditional) {
	items, ok := value.([]any)
	if !ok || len(items) == 0 {
		p.refuse(at, "is not a list of conditionals")
	}
	for i, entry := range items {
		at := item(at, i)
		m, ok := entry.(*members)
		if !ok || !m.has("if") || !m.has("then") {
			p.refuse(at, "is not an object with if and then")
			continue
		}
		p.only(at, m, "if", "then")
		conditional := Conditional{p.shape(at+"/if", m.values["if"], true), p.shape(at+"/then", m.values["then"], false)}
		list = append(list, conditional)
	}
	return list
}

// shape reads a node of a condition or of its consequence.
func (p *parser) shape(at string, value any, condition bool) *Shape {
	m, ok := value.(*members)
	shape := &Shape{place: p.place(at, nil)}
	if !ok || len(m.names) == 0 {
		p.refuse(at, "is not an object with members")
		return shape
	}
	switch {
	case m.has("const"):
		p.only(at, m, "const")
		shape.Const = p.scalar(at+"/const", m.values["const"])
		return shape
	case m.has("enum"):
		p.only(at, m, "enum")
		shape.Enum = p.texts(at+"/enum", m.values["enum"], 1)
		return shape
	case condition:
		p.only(at, m, "properties", "required")
	default:
		p.only(at, m, "properties", "required", "x-equal")
	}
	if value, ok := m.values["required"]; ok {
		shape.Required = p.texts(at+"/required", value, 1)
	}
	if value, ok := m.values["x-equal"]; ok {
		shape.Equal = p.equal(at+"/x-equal", value)
	}
	if value, ok := m.values["properties"]; ok {
		shape.Properties = p.shapeProperties(at+"/properties", value, condition)
	}
	for _, property := range shape.Properties {
		if condition && !slices.Contains(shape.Required, property.Name) {
			p.refuse(at+"/required", "a condition has to require what it looks at: %s", property.Name)
		}
	}
	return shape
}

func (p *parser) shapeProperties(at string, value any, condition bool) (list []ShapeProperty) {
	m, ok := value.(*members)
	if !ok || len(m.names) == 0 {
		p.refuse(at, "is not an object with members")
		return nil
	}
	for _, name := range m.names {
		list = append(list, ShapeProperty{name, p.shape(Pointer(at, name), m.values[name], condition)})
	}
	return list
}
