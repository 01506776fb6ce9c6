package contracts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/google/uuid"
)

// ErrUnknownNamespace is a namespace that this release does not have.
var ErrUnknownNamespace = errors.New("unknown namespace")

// namespace is a family of derived identifiers.
type namespace struct {
	Name            string    `json:"namespace"`
	ID              uuid.UUID `json:"namespaceId"`
	CandidateSchema string    `json:"candidateSchema"`
}

func (r *Registry) loadNamespaces(files fs.FS) error {
	text, err := fs.ReadFile(files, "namespaces.json")
	if err != nil {
		return fmt.Errorf("read the namespaces: %w", err)
	}
	var spaces []namespace
	if err := json.Unmarshal(text, &spaces); err != nil {
		return fmt.Errorf("namespaces: %w", err)
	}
	for _, space := range spaces {
		if _, err := r.find(space.CandidateSchema); err != nil {
			return fmt.Errorf("namespace %s: %w", space.Name, err)
		}
		r.spaces[space.Name] = space
	}
	return nil
}

// DeriveID gives the identifier that a candidate has in a namespace: a UUID of version 8 in lower case.
// The candidate must be valid by the namespace's schema.
func (r *Registry) DeriveID(namespace string, candidate []byte) (string, error) {
	hash, err := r.derive(namespace, candidate)
	if err != nil {
		return "", err
	}
	id := uuid.UUID(hash[:16])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String(), nil
}

// DeriveKey gives the key that a candidate has in a namespace: the namespace's name, a colon and 64
// hexadecimal digits. The candidate must be valid by the namespace's schema.
func (r *Registry) DeriveKey(namespace string, candidate []byte) (string, error) {
	hash, err := r.derive(namespace, candidate)
	if err != nil {
		return "", err
	}
	return namespace + ":" + hex.EncodeToString(hash[:]), nil
}

func (r *Registry) derive(name string, candidate []byte) (hash [sha256.Size]byte, err error) {
	space, ok := r.spaces[name]
	if !ok {
		return hash, fmt.Errorf("%w: %s", ErrUnknownNamespace, name)
	}
	violations, err := r.Validate(space.CandidateSchema, candidate)
	if err != nil {
		return hash, err
	}
	if err := violated(space.CandidateSchema, violations); err != nil {
		return hash, err
	}
	canonical, err := Canonical(candidate)
	if err != nil {
		return hash, err
	}
	return Sum(append(space.ID[:], canonical...)), nil
}
