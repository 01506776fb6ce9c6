package gendoc

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/oceanway/outbox/internal/schema"
)

// objectOf draws a closed object. It draws again what its conditions want to be different, until they are
// content.
func objectOf(t *rapid.T, n *schema.Object, shapes []*schema.Shape) *object {
	o := &object{}
	left := leftOut(t, n, shapes)
	for _, property := range n.Properties {
		if !left[property.Name] {
			o.set(property.Name, valueOf(t, property.Node, shapesOf(shapes, property.Name)))
		}
	}
	const patience = 12
	for range patience {
		want := append(slices.Clone(shapes), due(n, o)...)
		if fulfilsAll(want, o) && equal(o, n.Equal) && counted(n, o) {
			return o
		}
		for _, property := range n.Properties {
			improve(t, o, property, want)
		}
		for _, pair := range n.Equal {
			equate(o, pair)
		}
		for _, shape := range want {
			for _, pair := range shape.Equal {
				equate(o, pair)
			}
		}
		count(n, o)
	}
	t.Skipf("the conditions of %s are not met", n.Pointer())
	return nil
}

// leftOut draws which optional members are not there. The members of a quartet come and go together.
func leftOut(t *rapid.T, n *schema.Object, shapes []*schema.Shape) map[string]bool {
	left := map[string]bool{}
	for _, property := range n.Properties {
		if !n.Requires(property.Name) && !wants(shapes, property.Name) {
			left[property.Name] = rapid.Bool().Draw(t, "without "+property.Name)
		}
	}
	for _, prefix := range n.Quartets {
		quartet := schema.Quartet(prefix)
		missing := !slices.ContainsFunc(quartet[:], func(name string) bool { return !left[name] })
		for _, name := range quartet {
			left[name] = missing
		}
	}
	return left
}

// due lists what the conditions that the object fulfils want of it.
func due(n *schema.Object, o *object) (shapes []*schema.Shape) {
	for _, conditional := range n.Conditionals {
		if fulfils(conditional.If, o) {
			shapes = append(shapes, conditional.Then)
		}
	}
	return shapes
}

// improve draws a member again that is not as it should be.
func improve(t *rapid.T, o *object, property schema.Property, want []*schema.Shape) {
	value, present := o.get(property.Name)
	shapes := shapesOf(want, property.Name)
	if present && !fulfilsAll(shapes, value) || !present && wants(want, property.Name) {
		o.set(property.Name, valueOf(t, property.Node, shapes))
	}
}

func equate(o *object, pair schema.Equal) {
	first, ok1 := at(o, pair.First)
	if _, ok2 := at(o, pair.Second); ok1 && ok2 {
		put(o, pair.Second, clone(first))
	}
}

func counted(n *schema.Object, o *object) bool {
	return !slices.ContainsFunc(n.Counts, func(c schema.Count) bool {
		number, ok1 := o.get(c.Member)
		items, ok2 := o.get(c.Array)
		a, isArray := items.(*array)
		return ok1 && ok2 && isArray && number != a.length()
	})
}

func count(n *schema.Object, o *object) {
	for _, c := range n.Counts {
		items, _ := o.get(c.Array)
		if a, ok := items.(*array); ok && o.index(c.Member) >= 0 {
			o.set(c.Member, a.length())
		}
	}
}
