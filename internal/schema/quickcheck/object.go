package quickcheck

import (
	"slices"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
)

// object lists what has to be true of a closed object. Members that are judged already are left out.
func object(path string, n *schema.Object, judged ...string) []string {
	var list, later []string
	for _, property := range n.Properties {
		if slices.Contains(judged, property.Name) {
			continue
		}
		at := member(path, property.Name)
		predicate := holds(at, property.Node)
		prefix := quartetOf(n, property.Name)
		switch _, isConst := schema.Resolve(property.Node).(*schema.Const); {
		case !n.Requires(property.Name) && prefix == "":
			later = append(later, optional(predicate, at))
		case !n.Requires(property.Name):
			if property.Name == prefix+"Ref" {
				later = append(later, quartet(path, n, prefix))
			}
		case isConst:
			list = append(list, predicate) // the cheapest, and the one that tells objects apart
		default:
			later = append(later, predicate)
		}
	}
	list = append(list, later...)
	for _, count := range n.Counts {
		at, size := member(path, count.Member), member(path, count.Array)
		list = append(list, optional(at+" == "+size+".size()", at, size))
	}
	for _, equal := range n.Equal {
		list = append(list, same(path, n, equal))
	}
	for _, conditional := range n.Conditionals {
		list = append(list, consequence(path, n, conditional))
	}
	return append(list, closed(path, n))
}

func quartetOf(n *schema.Object, name string) string {
	for _, prefix := range n.Quartets {
		if quartet := schema.Quartet(prefix); slices.Contains(quartet[:], name) {
			return prefix
		}
	}
	return ""
}

// quartet wants the four members of an optional quartet, or none of them.
func quartet(path string, n *schema.Object, prefix string) string {
	var present, none []string
	for _, name := range schema.Quartet(prefix) {
		node, _ := n.Property(name)
		present = append(present, holds(member(path, name), node))
		none = append(none, absent(member(path, name)))
	}
	return either(present, none)
}

// optional wants a predicate to be true, or something that it looks at to be absent.
func optional(predicate string, paths ...string) string {
	return unlessAbsent([]string{predicate}, paths...)
}

func unlessAbsent(predicates []string, paths ...string) string {
	lists := [][]string{predicates}
	for _, path := range paths {
		lists = append(lists, []string{absent(path)})
	}
	return either(lists...)
}

// closed wants every member to be known. Names are looked up in a tree.
func closed(path string, n *schema.Object) string {
	names := make([]string, 0, len(n.Properties))
	for _, property := range n.Properties {
		names = append(names, property.Name)
	}
	if len(names) == 0 {
		return "!exists(" + path + ".keyvalue())"
	}
	slices.Sort(names)
	return "!exists(" + path + ".keyvalue().key ? (!(" + known(names) + ")))"
}

func known(names []string) string {
	const few = 3
	if len(names) <= few {
		equals := make([]string, 0, len(names))
		for _, name := range names {
			equals = append(equals, "@ == "+quoted(name))
		}
		return strings.Join(equals, " || ")
	}
	half := len(names) / 2
	return "@ < " + quoted(names[half]) + " && (" + known(names[:half]) + ") || " + known(names[half:])
}
