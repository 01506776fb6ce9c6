// Package schema reads the contract schemas into a model that generators can work on.
//
// The schemas are JSON Schema 2020-12 in a small dialect, plus keywords of our own that start with
// x-. The dialect is what the database and package contracts judge documents by, so it is read
// strictly here: a keyword or a shape that it does not know is refused with its file and JSON pointer,
// and so is a schema that contradicts itself, such as a union whose branches cannot be told apart.
//
// A schema is a tree of nodes. References between schemas form no circle; what a reference points at
// is its Target.
//
// Generators, tests and `outbox contracts compile` use this package. What judges documents is package
// contracts and the database.
package schema
