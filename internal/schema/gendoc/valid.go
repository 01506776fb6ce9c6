package gendoc

import (
	"slices"
	"strconv"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/oceanway/outbox/internal/schema"
)

// Valid draws documents that the schema accepts.
func Valid(s *schema.Schema) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		document := valueOf(t, s.Root, nil)
		seal(document, s.Digest)
		return spell(t, document)
	})
}

// valueOf draws a value that a node and some shapes of conditions accept.
func valueOf(t *rapid.T, node schema.Node, shapes []*schema.Shape) any {
	switch n := schema.Resolve(node).(type) {
	case *schema.Const:
		return scalar(n.Value)
	case *schema.Enum:
		return rapid.SampledFrom(allowed(n.Values, shapes)).Draw(t, "value")
	case *schema.String:
		if values := demanded(shapes); len(values) > 0 {
			return rapid.SampledFrom(values).Draw(t, "value")
		}
		return textOf(t, n)
	case *schema.Integer:
		if values := demanded(shapes); len(values) > 0 {
			return rapid.SampledFrom(values).Draw(t, "value")
		}
		return integer(between(t, n))
	case *schema.Boolean:
		if values := demanded(shapes); len(values) > 0 {
			return rapid.SampledFrom(values).Draw(t, "value")
		}
		return rapid.Bool().Draw(t, "value")
	case *schema.Array:
		return arrayOf(t, n)
	case *schema.Object:
		return objectOf(t, n, shapes)
	case *schema.Union:
		return unionOf(t, n, shapes)
	}
	return payload(t, 0)
}

func between(t *rapid.T, n *schema.Integer) int64 {
	if uniform(t, 16) == 15 {
		return rapid.SampledFrom([]int64{n.Minimum, n.Maximum}).Draw(t, "integer")
	}
	return rapid.Int64Range(n.Minimum, min(n.Maximum, max(n.Minimum, n.Minimum+20))).Draw(t, "integer")
}

func arrayOf(t *rapid.T, n *schema.Array) *array {
	const few = 4
	most := min(n.MinItems+few, n.MaxItems)
	a := &array{items: []any{}}
	for range rapid.IntRange(n.MinItems, most).Draw(t, "items") {
		a.items = append(a.items, valueOf(t, n.Items, nil))
	}
	if len(n.UniqueBy) > 0 {
		byKeys(a.items, n.UniqueBy)
		a.items = slices.CompactFunc(a.items, func(x, y any) bool { return compareKeys(x, y, n.UniqueBy) == 0 })
	}
	if len(n.SortedBy) > 0 {
		byKeys(a.items, n.SortedBy)
	}
	if len(a.items) < n.MinItems {
		t.Skipf("too few different items for %s", n.Pointer())
	}
	return a
}

func byKeys(items []any, keys []string) {
	slices.SortStableFunc(items, func(x, y any) int { return compareKeys(x, y, keys) })
}

// compareKeys compares members by their UTF-16 code units.
func compareKeys(x, y any, keys []string) int {
	for _, key := range keys {
		a, _ := at(x, []string{key})
		b, _ := at(y, []string{key})
		first, _ := a.(string)
		second, _ := b.(string)
		if order := slices.Compare(utf16.Encode([]rune(first)), utf16.Encode([]rune(second))); order != 0 {
			return order
		}
	}
	return 0
}

// unionOf draws a branch that the shapes leave, and a value for it.
func unionOf(t *rapid.T, n *schema.Union, shapes []*schema.Shape) any {
	var open []schema.Branch
	for _, branch := range n.Branches {
		if slices.ContainsFunc(branch.Values, func(value schema.Scalar) bool {
			return fulfilsAll(shapesOf(shapes, n.Discriminator), scalar(value))
		}) {
			open = append(open, branch)
		}
	}
	if len(open) == 0 {
		t.Skipf("the conditions leave no branch of %s", n.Pointer())
	}
	return objectOf(t, one(t, open).Object(), shapes)
}

// payload draws what an open object may hold.
func payload(t *rapid.T, depth int) *object {
	const deepest = 3
	o := &object{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		o.set(freeText(t, 6), anything(t, depth, deepest))
	}
	return o
}

func anything(t *rapid.T, depth, deepest int) any {
	kinds := []string{"text", "number", "boolean", "null", "object", "array"}
	if depth == deepest {
		kinds = kinds[:4]
	}
	switch one(t, kinds) {
	case "text":
		return freeText(t, 8)
	case "number":
		return rapid.SampledFrom([]token{"0", "1", "-7", "0.5", "-12.25", "0.1", "9007199254740991", "-9007199254740991", "1e21"}).Draw(t, "number")
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "object":
		return payload(t, depth+1)
	case "array":
		a := &array{items: []any{}}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			a.items = append(a.items, anything(t, depth+1, deepest))
		}
		return a
	}
	return nil
}

// length is the length of an array as a value.
func (a *array) length() token { return token(strconv.Itoa(len(a.items))) }
