package contracts

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrNoDigest is a schema that has no rule for a digest.
var ErrNoDigest = errors.New("the schema has no digest")

// digestRule is x-digest: which members the digest leaves out, and which one holds it.
type digestRule struct {
	AlgorithmVersion string   `json:"algorithmVersion"`
	Member           string   `json:"member"`
	Excludes         []string `json:"excludes"`
}

// digestRuleOf reads x-digest, nil where the schema has none.
func digestRuleOf(root map[string]any) (*digestRule, error) {
	value, ok := root[keywordDigest]
	if !ok {
		return nil, nil //nolint:nilnil // most small objects have none
	}
	rule := &digestRule{}
	return rule, decodeKeyword(value, rule)
}

// Candidate gives the canonical bytes of what a schema's digest covers: the object without the members
// that x-digest excludes, or the whole document where the schema has no digest. It does not validate.
func (r *Registry) Candidate(schema string, doc []byte) ([]byte, error) {
	d, err := r.find(schema)
	if err != nil {
		return nil, err
	}
	return d.candidate(schema, doc)
}

// candidate is Candidate.
func (d document) candidate(schema string, doc []byte) (candidate []byte, err error) {
	if d.digest == nil {
		candidate, err = Canonical(doc)
	} else {
		candidate, err = canonicalWithout(doc, d.digest.Excludes...)
	}
	switch {
	case errors.Is(err, errNotAnObject):
		return nil, violated(schema, whole(ruleType, "must be an object"))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", schema, err)
	}
	return candidate, nil
}

// Digest is the digest of a document by the rule of its schema. It does not validate. As in the database
// the error is about the schema first (ErrUnknownSchema, ErrNoDigest), and only then about the document:
// ErrNoCanonicalForm, or a *ViolationError where it is no object.
func (r *Registry) Digest(schema string, doc []byte) (digest [sha256.Size]byte, err error) {
	d, err := r.find(schema)
	if err != nil {
		return digest, err
	}
	if d.digest == nil {
		return digest, fmt.Errorf("%w: %s", ErrNoDigest, schema)
	}
	candidate, err := d.candidate(schema, doc)
	if err != nil {
		return digest, err
	}
	return Sum(candidate), nil
}
