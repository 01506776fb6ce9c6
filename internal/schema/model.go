package schema

import (
	"slices"
	"strings"
)

// Prefix starts the $id of every schema.
const Prefix = "urn:oceanway:contracts:"

// DigestAlgorithm is the only value of x-digest.algorithmVersion.
const DigestAlgorithm = "jcs-sha256-v1"

// MaxInteger is the largest integer that a document may hold: 2^53-1.
const MaxInteger = 1<<53 - 1

// Schema is one file of the folder.
type Schema struct {
	Name        string // <Name>@<N>
	Description string
	Document    []byte       // the file
	Root        Node         // *Object or *Union; nil when the schema holds definitions only
	Defs        []Definition // in the order of the file
	Digest      *Digest      // nil without x-digest
}

// Definition is an entry of $defs.
type Definition struct {
	Name string
	Node Node
}

// Digest is x-digest: how the candidate of a document and its digest come about.
type Digest struct {
	Member   string // holds the digest; empty when the digest lies outside of the document
	Excludes []string
}

// Excluded tells that the member is no part of the candidate.
func (d *Digest) Excluded(member string) bool {
	return slices.Contains(d.Excludes, member)
}

// Node is one of *Ref, *Const, *Enum, *String, *Integer, *Boolean, *Array, *Object, *Open, *Union.
type Node interface {
	// Pointer tells where the node lies in its file.
	Pointer() string
	// Description is what the node says of itself, or "". For the root it is that of the schema.
	Description() string
}

type place struct{ file, at, description string }

// Pointer tells where the node lies in its file.
func (p place) Pointer() string { return p.at }

// Description is what the node says of itself.
func (p place) Description() string { return p.description }

// Scalar is a string, an int64 or a bool.
type Scalar any

type (
	// Ref stands for another node.
	Ref struct {
		place
		To     string // the text of $ref
		target Node
	}
	// Const allows one value.
	Const struct {
		place
		Value Scalar
	}
	// Enum allows some strings.
	Enum struct {
		place
		Values []string
	}
	// String allows texts.
	String struct {
		place
		MinLength int // in code points
		MaxLength int // Unbounded without one
		Pattern   *Pattern
		Decimal   *Decimal
	}
	// Integer allows the integers between two bounds.
	Integer struct {
		place
		Minimum, Maximum int64
	}
	// Boolean allows true and false.
	Boolean struct{ place }
	// Array allows lists of one kind of item.
	Array struct {
		place
		Items    Node
		MinItems int
		MaxItems int
		SortedBy []string
		UniqueBy []string
	}
	// Object allows objects without unknown members.
	Object struct {
		place
		Properties   []Property // in the order of the file
		Required     []string
		Quartets     []string // prefixes
		Counts       []Count
		Equal        []Equal
		Conditionals []Conditional
	}
	// Open allows every object.
	Open struct{ place }
	// Union allows what one of its branches allows; the discriminator tells which.
	Union struct {
		place
		Discriminator string
		Branches      []Branch
	}
)

// Unbounded stands for a missing maximum of a length.
const Unbounded = -1

// Decimal is x-decimal: a canonical decimal number in a string.
type Decimal struct {
	Precision, Scale int
	Signed           bool
}

// Property is a member that a closed object knows.
type Property struct {
	Name string
	Node Node
}

// Count is an entry of x-counts: the member holds the length of the array.
type Count struct{ Member, Array string }

// Equal is an entry of x-equal: two values below the object that are the same. Both are the tokens of
// a JSON Pointer.
type Equal struct{ First, Second []string }

// Branch is one shape of a union and the values of the discriminator that choose it.
type Branch struct {
	Node   Node // *Object, or a *Ref to one
	Values []Scalar
}

// Conditional is an entry of allOf: what fulfils If has to fulfil Then.
type Conditional struct{ If, Then *Shape }

// Shape is a node of a conditional. It looks at one value: Const and Enum compare it, the rest looks
// into it.
type Shape struct {
	place
	Const      Scalar // nil without const
	Enum       []string
	Required   []string
	Properties []ShapeProperty
	Equal      []Equal
}

// ShapeProperty is a member that a shape looks at, where it is present.
type ShapeProperty struct {
	Name  string
	Shape *Shape
}

// Target is the node that the reference stands for, never a reference itself.
func (r *Ref) Target() Node { return Resolve(r.target) }

// Leads tells which schema the reference leads into, and to which of its definitions: "" for its root.
func (r *Ref) Leads() (schema, definition string) {
	return splitRef(strings.TrimSuffix(r.file, ".json"), r.To)
}

// Resolve follows references.
func Resolve(node Node) Node {
	for {
		ref, ok := node.(*Ref)
		if !ok {
			return node
		}
		node = ref.target
	}
}

// Property finds a member that the object knows.
func (o *Object) Property(name string) (Node, bool) {
	for _, property := range o.Properties {
		if property.Name == name {
			return property.Node, true
		}
	}
	return nil, false
}

// Requires tells that the member has to be present.
func (o *Object) Requires(name string) bool {
	return slices.Contains(o.Required, name)
}

// Object is the branch's shape.
func (b Branch) Object() *Object {
	object, _ := Resolve(b.Node).(*Object)
	return object
}

// Quartet gives the four members of a prefix in x-quartets.
func Quartet(prefix string) [4]string {
	return [4]string{prefix + "Ref", prefix + "SchemaVersion", prefix + "DigestAlgorithmVersion", prefix + "Digest"}
}
