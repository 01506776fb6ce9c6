package quickcheck

import (
	"slices"

	"github.com/oceanway/outbox/internal/schema"
)

// same wants two values below an object to be equal, where both are there.
func same(path string, node schema.Node, pair schema.Equal) string {
	first, second := below(path, pair.First), below(path, pair.Second)
	one, other := schema.Reach(node, pair.First), schema.Reach(node, pair.Second)
	predicates := []string{never}
	switch {
	case scalars(one) && scalars(other):
		predicates = []string{first + " == " + second}
	case len(one) == 1 && len(other) == 1 && schema.Resolve(one[0]) == schema.Resolve(other[0]):
		predicates = equal(first, second, one)
	}
	return unlessAbsent(predicates, first, second)
}

// equal compares two values that are both allowed by the same nodes.
func equal(first, second string, nodes []schema.Node) []string {
	if scalars(nodes) {
		return []string{first + " == " + second}
	}
	var names, list []string
	for _, node := range nodes {
		objects, ok := objects(node)
		if !ok {
			return []string{never}
		}
		for _, object := range objects {
			for _, property := range object.Properties {
				if !slices.Contains(names, property.Name) {
					names = append(names, property.Name)
				}
			}
		}
	}
	for _, name := range names {
		a, b := member(first, name), member(second, name)
		list = append(list, either(equal(a, b, schema.Below(nodes, name)), []string{absent(a), absent(b)}))
	}
	return list
}

// objects lists the closed objects that a node allows; not ok when it allows something else.
func objects(node schema.Node) (list []*schema.Object, ok bool) {
	switch n := schema.Resolve(node).(type) {
	case *schema.Object:
		return append(list, n), true
	case *schema.Union:
		for _, branch := range n.Branches {
			list = append(list, branch.Object())
		}
		return list, true
	}
	return nil, false
}

func scalars(nodes []schema.Node) bool {
	return !slices.ContainsFunc(nodes, func(node schema.Node) bool {
		switch schema.Resolve(node).(type) {
		case *schema.Const, *schema.Enum, *schema.String, *schema.Integer, *schema.Boolean:
			return false
		}
		return true
	})
}

// consequence wants what fulfils the condition to fulfil the rest.
func consequence(path string, node schema.Node, conditional schema.Conditional) string {
	nodes := []schema.Node{node}
	then := fulfils(path, nodes, conditional.Then)
	if !sayable(nodes, conditional.If) {
		return all(then) // asks too much of what does not fulfil the condition
	}
	return either([]string{"!" + filtered(path, all(fulfils("@", nodes, conditional.If)))}, then)
}

// sayable tells that a shape looks into objects only. JSON Schema takes a shape of members as fulfilled by
// everything that is no object, a predicate does not.
func sayable(nodes []schema.Node, shape *schema.Shape) bool {
	if len(shape.Properties)+len(shape.Required) == 0 {
		return true
	}
	for _, node := range nodes {
		_, closed := objects(node)
		if _, open := schema.Resolve(node).(*schema.Open); !closed && !open {
			return false
		}
	}
	return !slices.ContainsFunc(shape.Properties, func(property schema.ShapeProperty) bool {
		return !sayable(schema.Below(nodes, property.Name), property.Shape)
	})
}

// fulfils lists what a shape wants of the value at a path. A condition requires what it looks at.
func fulfils(path string, nodes []schema.Node, shape *schema.Shape) []string {
	switch {
	case shape.Const != nil:
		return []string{path + " == " + literal(shape.Const)}
	case len(shape.Enum) > 0:
		return []string{oneOf(path, shape.Enum)}
	}
	var list []string
	for _, property := range shape.Properties {
		at := member(path, property.Name)
		predicates := fulfils(at, schema.Below(nodes, property.Name), property.Shape)
		if !slices.Contains(shape.Required, property.Name) {
			predicates = []string{unlessAbsent(predicates, at)}
		}
		list = append(list, predicates...)
	}
	for _, name := range shape.Required {
		looked := slices.ContainsFunc(shape.Properties, func(property schema.ShapeProperty) bool { return property.Name == name })
		if !looked {
			list = append(list, "exists("+member(path, name)+")")
		}
	}
	for _, pair := range shape.Equal {
		list = append(list, sameBelow(path, nodes, pair))
	}
	return list
}

func sameBelow(path string, nodes []schema.Node, pair schema.Equal) string {
	if len(nodes) != 1 {
		return never
	}
	return same(path, nodes[0], pair)
}
