// Package contracts holds the objects that travel between the database, the dispatcher and the
// consumers: the event envelope, the consumer's answer with its acknowledgement and receipt, the
// payloads of this system's events, and the delivery set definitions that were released.
//
// # Schemas
//
// Every object is stated once, as a closed JSON Schema in schemas/NAME@VERSION.json. Load reads them
// into a Registry; Validate lists everything in a document that breaks its schema, each as the path of a
// place and the name of the rule it breaks. The database judges by the same schemas and gives the same
// paths and rules. Beside the keywords of JSON Schema there are a few of our own:
//
//	x-digest         what the object's digest covers and which member holds it
//	x-nfc            every text and member name is in Unicode normalization form C
//	x-discriminator  the member that picks the one branch of a union that is judged
//	x-sorted-by      by which members the items of an array ascend
//	x-unique-by      which members no two items have in common
//	x-quartets       four members (reference, schema version, digest algorithm version, digest) that
//	                 are all there or all absent
//	x-counts         which member counts the items of which array
//	x-equal          which two members are equal
//	x-decimal        a decimal number in a text, written in its one canonical way
//
// Documents are judged in stages, each only where the one before found nothing: the size and the reading
// of the text, the schema, the canonical form, the digest. Nothing that a violation says is a value of
// the document.
//
// goldens/ holds for each schema documents that are valid, with the bytes that their digest covers, and
// documents that are not, with everything that is wrong with them. Who writes another implementation
// tests it with these.
//
// # Digests
//
// Every digest of the product is jcs-sha256-v1: the SHA-256 of the UTF-8 bytes of the object's
// canonical form by RFC 8785 (JCS). Canonical and Sum are the two halves; Candidate and Digest know
// from the schema what is left out of an object before it is digested: nothing of an envelope, of a
// definition its digest, of a receipt its own reference, digest and time, so that the same receipt
// written twice has the same digest.
//
// # Derived identifiers
//
// namespaces.json names the families of identifiers that follow from what they identify. DeriveID and
// DeriveKey hash the namespace with the canonical form of a candidate, which must be valid by the
// namespace's schema.
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
// ParseEnvelope, ParseVerdict and ParseAck decode what their schema accepts and refuse everything else
// with a *ViolationError. Whether an acknowledgement fits its delivery is for the database to say.
package contracts
