package gendoc

import (
	"slices"

	"github.com/oceanway/outbox/internal/schema"
)

// fulfils tells that a value is as a shape wants it, with JSON Schema's reading: what is no object has
// no members that could be wrong.
func fulfils(shape *schema.Shape, value any) bool {
	if shape.Const != nil {
		return value == scalar(shape.Const)
	}
	if len(shape.Enum) > 0 {
		text, ok := value.(string)
		return ok && slices.Contains(shape.Enum, text)
	}
	o, ok := value.(*object)
	if !ok {
		return true
	}
	for _, name := range shape.Required {
		if o.index(name) < 0 {
			return false
		}
	}
	for _, property := range shape.Properties {
		if below, ok := o.get(property.Name); ok && !fulfils(property.Shape, below) {
			return false
		}
	}
	return equal(o, shape.Equal)
}

func fulfilsAll(shapes []*schema.Shape, value any) bool {
	return !slices.ContainsFunc(shapes, func(shape *schema.Shape) bool { return !fulfils(shape, value) })
}

// equal tells that the pairs of values are equal, where both are there. Only scalars are compared.
func equal(o *object, pairs []schema.Equal) bool {
	return !slices.ContainsFunc(pairs, func(pair schema.Equal) bool {
		first, ok1 := at(o, pair.First)
		second, ok2 := at(o, pair.Second)
		return ok1 && ok2 && !same(first, second)
	})
}

func same(a, b any) bool {
	switch x := a.(type) {
	case *object:
		y, ok := b.(*object)
		return ok && len(x.members) == len(y.members) && !slices.ContainsFunc(x.members, func(m member) bool {
			other, found := y.get(m.name)
			return !found || !same(m.value, other)
		})
	case *array:
		y, ok := b.(*array)
		return ok && slices.EqualFunc(x.items, y.items, same)
	}
	switch b.(type) {
	case *object, *array:
		return false
	}
	return a == b
}

// shapesOf lists what shapes want of a member.
func shapesOf(shapes []*schema.Shape, name string) (below []*schema.Shape) {
	for _, shape := range shapes {
		for _, property := range shape.Properties {
			if property.Name == name {
				below = append(below, property.Shape)
			}
		}
	}
	return below
}

func wants(shapes []*schema.Shape, name string) bool {
	return slices.ContainsFunc(shapes, func(shape *schema.Shape) bool { return slices.Contains(shape.Required, name) })
}

// allowed lists those of an enum's values that the shapes accept, or all when they accept none: then the
// condition is met in another way.
func allowed(values []string, shapes []*schema.Shape) (list []any) {
	for _, value := range values {
		if fulfilsAll(shapes, value) {
			list = append(list, value)
		}
	}
	if len(list) > 0 {
		return list
	}
	return all(values)
}

func all(values []string) (list []any) {
	for _, value := range values {
		list = append(list, value)
	}
	return list
}

// demanded lists the values that shapes leave for a member whose node lists none.
func demanded(shapes []*schema.Shape) (list []any) {
	for _, shape := range shapes {
		values := all(shape.Enum)
		if shape.Const != nil {
			values = []any{scalar(shape.Const)}
		}
		for _, value := range values {
			if fulfilsAll(shapes, value) {
				list = append(list, value)
			}
		}
	}
	return list
}
