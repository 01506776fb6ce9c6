package gendoc

import (
	"pgregory.net/rapid"

	"github.com/oceanway/outbox/internal/schema"
)

// Document is a text that a mutation made.
type Document struct {
	Mutation string // its name
	Text     string // always JSON, not always sound
}

// mutation changes a document. It tells whether there was something to change.
type mutation struct {
	name   string
	change func(t *rapid.T, document *object) bool
}

// Mutant draws a document of a schema to which something happened. In most cases the digest was made
// right again afterwards.
func Mutant(s *schema.Schema) *rapid.Generator[Document] {
	return rapid.Custom(func(t *rapid.T) Document {
		document, ok := valueOf(t, s.Root, nil).(*object)
		if !ok {
			t.Skip("no object")
		}
		seal(document, s.Digest)
		m, _ := pick(t, mutations())
		if !m.change(t, document) {
			t.Skipf("nothing to %s", m.name)
		}
		if rapid.IntRange(0, 4).Draw(t, "seal") > 0 && m.name != "break the digest" {
			seal(document, s.Digest)
		}
		return Document{m.name, spell(t, document)}
	})
}

// Mutations lists the names of all mutations.
func Mutations() []string {
	var names []string
	for _, m := range mutations() {
		names = append(names, m.name)
	}
	return names
}

func mutations() []mutation {
	return []mutation{
		{"remove a member", removeMember},
		{"add a member", addMember},
		{"rename a member", renameMember},
		{"write a member twice", duplicateMember},
		{"change a type", changeType},
		{"swap two values", swapValues},
		{"change a text", changeText},
		{"change a text to one that is elsewhere", copyText},
		{"change a decimal", changeDecimal},
		{"break a quartet", breakQuartet},
		{"swap two items", swapItems},
		{"add or remove an item", changeItems},
		{"change a number", changeNumber},
		{"write an odd number", oddNumber},
		{"write a number into a payload", numberInPayload},
		{"denormalise a text", denormalise},
		{"denormalise a name", denormaliseName},
		{"write what no text may hold", forbiddenText},
		{"nest deeply", nestDeeply},
		{"break the digest", breakDigest},
	}
}

func pick[T any](t *rapid.T, list []T) (picked T, ok bool) {
	if len(list) == 0 {
		return picked, false
	}
	return list[uniform(t, len(list))], true
}

// uniform draws an index, each equally often: rapid's own ranges prefer small numbers.
func uniform(t *rapid.T, n int) int {
	number := 0
	for limit := 1; limit < 16*n; limit *= 2 {
		number *= 2
		if rapid.Bool().Draw(t, "bit") {
			number++
		}
	}
	return number % n
}

// change replaces a value that is wanted.
func change(t *rapid.T, document *object, want func(any) bool, by func(any) any) bool {
	s, ok := pick(t, slots(document, want))
	if ok {
		s.set(by(s.get()))
	}
	return ok
}

// one draws one of some values, each equally often.
func one[T any](t *rapid.T, list []T) T { return list[uniform(t, len(list))] }

func withMembers(document *object) (list []*object) {
	for _, o := range objects(document) {
		if len(o.members) > 0 {
			list = append(list, o)
		}
	}
	return list
}

func pickMember(t *rapid.T, document *object) (o *object, i int, ok bool) {
	o, ok = pick(t, withMembers(document))
	if ok {
		i = uniform(t, len(o.members))
	}
	return o, i, ok
}
