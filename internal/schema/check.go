package schema

import (
	"fmt"
	"slices"
)

// checker looks for contradictions in schemas whose references are known.
type checker struct{ faults []error }

func check(set *Set) []error {
	c := &checker{}
	for _, name := range set.names {
		s := set.schemas[name]
		s.walk(func(node Node) {
			switch n := node.(type) {
			case *Array:
				c.keys(n, "x-sorted-by", n.SortedBy)
				c.keys(n, "x-unique-by", n.UniqueBy)
			case *Object:
				c.object(n)
			case *Union:
				c.union(n)
			}
		})
		c.digest(s)
	}
	return c.faults
}

func (c *checker) refuse(where place, below, format string, args ...any) {
	c.faults = append(c.faults, &DialectError{where.file, where.at + below, fmt.Sprintf(format, args...)})
}

// shapes lists the closed objects that a node allows.
func shapes(node Node) (objects []*Object) {
	switch n := Resolve(node).(type) {
	case *Object:
		objects = append(objects, n)
	case *Union:
		for _, branch := range n.Branches {
			if object := branch.Object(); object != nil {
				objects = append(objects, object)
			}
		}
	}
	return objects
}

// isText tells that the node allows strings only.
func isText(node Node) bool {
	switch n := Resolve(node).(type) {
	case *String, *Enum:
		return true
	case *Const:
		_, ok := n.Value.(string)
		return ok
	}
	return false
}

// isInteger tells that the node allows integers only.
func isInteger(node Node) bool {
	switch n := Resolve(node).(type) {
	case *Integer:
		return true
	case *Const:
		_, ok := n.Value.(int64)
		return ok
	}
	return false
}

// keys wants the items to require each key as a string.
func (c *checker) keys(array *Array, keyword string, keys []string) {
	if len(keys) == 0 {
		return
	}
	objects := shapes(array.Items)
	if len(objects) == 0 {
		c.refuse(array.place, "/"+keyword, "the items are not closed objects")
	}
	for i, key := range keys {
		for _, object := range objects {
			if node, ok := object.Property(key); !ok || !object.Requires(key) || !isText(node) {
				c.refuse(array.place, item("/"+keyword, i), "is not a member that every item requires as a string")
				break
			}
		}
	}
}

func (c *checker) object(o *Object) {
	for i, name := range o.Required {
		if _, ok := o.Property(name); !ok {
			c.refuse(o.place, item("/required", i), "is not one of the properties")
		}
	}
	for i, prefix := range o.Quartets {
		for _, name := range Quartet(prefix) {
			node, ok := o.Property(name)
			if !ok || !isText(node) {
				c.refuse(o.place, item("/x-quartets", i), "%s is not a property that is a string", name)
			} else if o.Requires(name) != o.Requires(prefix+"Ref") {
				c.refuse(o.place, item("/x-quartets", i), "some of the four are required, some are not")
			}
		}
	}
	for _, count := range o.Counts {
		at := Pointer("/x-counts", count.Member)
		if node, ok := o.Property(count.Member); !ok || !isInteger(node) {
			c.refuse(o.place, at, "the member is not a property that is an integer")
		}
		node, _ := o.Property(count.Array)
		if _, ok := Resolve(node).(*Array); !ok {
			c.refuse(o.place, at, "%s is not a property that is an array", count.Array)
		}
	}
	c.equal(o.place, []Node{o}, o.Equal)
	for _, conditional := range o.Conditionals {
		c.shape(conditional.If, []Node{o})
		c.shape(conditional.Then, []Node{o})
	}
}

// anything is what lies below an open object.
type anything struct{ place }

// step finds what a member can be below nodes that a value can be.
func step(nodes []Node, name string) (below []Node) {
	for _, node := range nodes {
		switch Resolve(node).(type) {
		case *Open, anything:
			below = append(below, anything{})
		}
		for _, object := range shapes(node) {
			if property, ok := object.Property(name); ok {
				below = append(below, property)
			}
		}
	}
	return below
}

func (c *checker) equal(where place, nodes []Node, pairs []Equal) {
	for _, pair := range pairs {
		for _, tokens := range [][]string{pair.First, pair.Second} {
			below, pointer := nodes, ""
			for _, token := range tokens {
				below, pointer = step(below, token), Pointer(pointer, token)
			}
			if len(below) == 0 {
				c.refuse(where, "/x-equal", "%s leads to no property", pointer)
			}
		}
	}
}

// shape checks a condition or consequence against what its value can be.
func (c *checker) shape(s *Shape, nodes []Node) {
	if s.Const != nil && !anyAllows(nodes, s.Const) {
		c.refuse(s.place, "/const", "the property never has this value")
	}
	for i, value := range s.Enum {
		if !anyAllows(nodes, value) {
			c.refuse(s.place, item("/enum", i), "the property never has this value")
		}
	}
	for i, name := range s.Required {
		if len(step(nodes, name)) == 0 {
			c.refuse(s.place, item("/required", i), "is not a property")
		}
	}
	for _, property := range s.Properties {
		below := step(nodes, property.Name)
		if len(below) == 0 {
			c.refuse(property.Shape.place, "", "is not a property")
			continue
		}
		c.shape(property.Shape, below)
	}
	c.equal(s.place, nodes, s.Equal)
}

func anyAllows(nodes []Node, value Scalar) bool {
	return slices.ContainsFunc(nodes, func(node Node) bool { return allows(node, value) })
}

// allows tells that a node may have the value; a text is not held against a pattern.
func allows(node Node, value Scalar) bool {
	switch n := Resolve(node).(type) {
	case *Const:
		return n.Value == value
	case *Enum:
		text, ok := value.(string)
		return ok && slices.Contains(n.Values, text)
	case *String:
		_, ok := value.(string)
		return ok
	case *Integer:
		number, ok := value.(int64)
		return ok && number >= n.Minimum && number <= n.Maximum
	case *Boolean:
		_, ok := value.(bool)
		return ok
	case anything:
		return true
	}
	return false
}

// union fills in the values that choose a branch.
func (c *checker) union(u *Union) {
	taken := map[Scalar]bool{}
	for i := range u.Branches {
		branch, at := &u.Branches[i], item("/oneOf", i)
		object := branch.Object()
		if object == nil {
			c.refuse(u.place, at, "is not a closed object")
			continue
		}
		node, _ := object.Property(u.Discriminator)
		switch n := node.(type) {
		case *Const:
			branch.Values = []Scalar{n.Value}
		case *Enum:
			for _, value := range n.Values {
				branch.Values = append(branch.Values, value)
			}
		default:
			c.refuse(u.place, at, "%s is neither const nor enum", u.Discriminator)
		}
		if !object.Requires(u.Discriminator) {
			c.refuse(u.place, at, "does not require %s", u.Discriminator)
		}
		for _, value := range branch.Values {
			if taken[value] {
				c.refuse(u.place, at, "%s = %v chooses another branch already", u.Discriminator, value)
			}
			taken[value] = true
		}
	}
}

func (c *checker) digest(s *Schema) {
	if s.Digest == nil {
		return
	}
	where := place{file: s.Name + ".json"}
	objects := shapes(s.Root)
	if len(objects) == 0 {
		c.refuse(where, "/x-digest", "the schema has no root")
		return
	}
	for i, name := range s.Digest.Excludes {
		if len(step([]Node{s.Root}, name)) == 0 {
			c.refuse(where, item("/x-digest/excludes", i), "is not a property")
		}
	}
	for _, object := range objects {
		if s.Digest.Member == "" {
			break
		}
		if node, ok := object.Property(s.Digest.Member); !ok || !object.Requires(s.Digest.Member) || !isText(node) {
			c.refuse(where, "/x-digest/member", "is not a member that is required as a string")
			break
		}
	}
}
