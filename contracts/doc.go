// Package contracts holds the objects that travel between the database, the dispatcher and the
// consumers: the event envelope, the consumer's answer with its acknowledgement and receipt, and the
// delivery set definitions that were released.
//
// # Digests
//
// Every digest of the product is jcs-sha256-v1: the SHA-256 of the UTF-8 bytes of the object's
// canonical form by RFC 8785 (JCS). Canonical and Digest are the two halves. What is left out of an
// object before it is digested differs:
//
//   - an envelope is digested whole;
//   - a delivery set definition without deliverySetDefinitionDigest (DefinitionDigest);
//   - a receipt without its own reference, its own digest and its own time (ReceiptDigest), so that
//     the same receipt written twice has the same digest.
//
// # Delivery sets
//
// A release's definition is delivery-sets/NAME.json. Two golden files stand next to it:
//
//   - NAME.canonical, the exact bytes that are digested: the canonical form of the definition
//     without deliverySetDefinitionDigest, with no line break at the end;
//   - NAME.sha256, their digest in the form that `sha256sum --check` reads.
//
// The digest inside the definition is that same value. `go generate ./contracts` writes all three
// from the rest of the definition; a test holds them together. A released definition is never
// edited: another content needs another version.
//
// # Decoding
//
// The parsers are strict: they refuse unknown, missing and duplicate members, null where a value is
// due, and anything that has no canonical form. They judge shapes only. Whether an acknowledgement
// fits the delivery is for the database to say.
package contracts
