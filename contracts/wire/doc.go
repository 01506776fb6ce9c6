// Package wire holds the wire objects as structs, generated from contracts/schemas: a struct for every
// object, with the members in the order of its schema.
//
// A struct that stands for a union has the members of all branches. Its discriminator is always there;
// a comment tells which members belong to which value of it. What may be absent is left out of the JSON
// when it is "" or nil, and neither of them is ever a valid value. A list that has to be there must not be
// nil: JSON would say null. What may be any object is kept as the JSON that it is.
//
// New knows the struct of each schema by its name.
//
// Structs judge nothing. contracts.Registry.Validate does, and takes the bytes that are sent. Decode what
// contracts.Canonical makes of them: 1.0 is an integer to JSON Schema, and becomes 1.
//
// The envelope, the acknowledgement and the verdict are not here: package contracts has them as Envelope,
// ActiveConsumerAck and Verdict.
package wire
