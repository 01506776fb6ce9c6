package contracts

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gowebpki/jcs"
)

// DigestAlgorithm is the one digest algorithm of this release.
const DigestAlgorithm = "jcs-sha256-v1"

// ErrNoCanonicalForm is a text that RFC 8785 gives no canonical form: broken JSON, a duplicate
// member, a lone surrogate, invalid UTF-8 or a number beyond the range of an IEEE double. It never
// quotes the text.
var ErrNoCanonicalForm = errors.New("no canonical form: broken JSON, duplicate member, lone surrogate or number out of range")

// Canonical gives the canonical form of a JSON text by RFC 8785.
func Canonical(doc []byte) ([]byte, error) {
	if doc == nil {
		return nil, ErrNoCanonicalForm
	}
	canonical, err := jcs.Transform(doc)
	if err != nil {
		return nil, ErrNoCanonicalForm // the cause quotes the text
	}
	return canonical, nil
}

// Sum is the SHA-256 of canonical bytes.
func Sum(canonical []byte) [sha256.Size]byte {
	return sha256.Sum256(canonical)
}

// errNotAnObject is a document without members where members are due.
var errNotAnObject = errors.New("the document must be an object")

// canonicalObject gives the canonical form of an object.
func canonicalObject(doc []byte) ([]byte, error) {
	canonical, err := Canonical(doc)
	if err != nil {
		return nil, err
	}
	if canonical[0] != '{' {
		return nil, errNotAnObject
	}
	return canonical, nil
}

// membersOf gives the members of an object, in canonical form.
func membersOf(doc []byte) (map[string]json.RawMessage, error) {
	canonical, err := canonicalObject(doc)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(canonical, &members); err != nil {
		return nil, ErrNoCanonicalForm // the cause may quote the text
	}
	return members, nil
}

// canonicalWithout gives the canonical form of an object without some of its members.
func canonicalWithout(doc []byte, excluded ...string) ([]byte, error) {
	if len(excluded) == 0 {
		return canonicalObject(doc)
	}
	members, err := membersOf(doc)
	if err != nil {
		return nil, err
	}
	for _, name := range excluded {
		delete(members, name)
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("write the digest candidate: %w", err)
	}
	return Canonical(rest)
}
