package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"

	"github.com/google/uuid"

	"github.com/oceanway/outbox/internal/schema"
)

// namespace is an entry of contracts/namespaces.json: identifiers and keys derived in it differ from
// those of other namespaces, even for the same candidate.
type namespace struct {
	Namespace       string `json:"namespace"`
	NamespaceID     string `json:"namespaceId"`
	CandidateSchema string `json:"candidateSchema"`
	Description     string `json:"description"`
}

func readNamespaces(file string, schemas *schema.Set) ([]namespace, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the namespaces: %w", err)
	}
	if _, err := canonical(text); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var list []namespace
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	taken := map[string]bool{}
	for i, n := range list {
		id, err := uuid.Parse(n.NamespaceID)
		candidate, known := schemas.Schema(n.CandidateSchema)
		problem := ""
		switch {
		case !regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`).MatchString(n.Namespace):
			problem = "namespace is not a name in lower case"
		case err != nil || id.String() != n.NamespaceID:
			problem = "namespaceId is not a UUID in lower case"
		case taken[n.Namespace] || taken[n.NamespaceID]:
			problem = "namespace or namespaceId comes twice"
		case !known || candidate.Root == nil:
			problem = "candidateSchema is no schema of a document"
		case n.Description == "":
			problem = "description is missing"
		}
		if problem != "" {
			return nil, fmt.Errorf("%s /%d: %s", file, i, problem)
		}
		taken[n.Namespace], taken[n.NamespaceID] = true, true
	}
	return list, nil
}

// hash is what identifiers and keys are made of.
func (n namespace) hash(candidate []byte) ([sha256.Size]byte, error) {
	bytes, err := canonical(candidate)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	id, err := uuid.Parse(n.NamespaceID)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("namespaceId: %w", err)
	}
	return sha256.Sum256(slices.Concat(id[:], bytes)), nil
}

// version8 makes a UUIDv8 (RFC 9562) of the first bytes of a hash.
func version8(hash [sha256.Size]byte) string {
	id := uuid.UUID(hash[:16])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// derived fills in the identifiers and keys of contracts/goldens/derive.json.
func (g *generator) derived() error {
	file := g.path("contracts/goldens/derive.json")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the derived goldens: %w", err)
	}
	var list []struct {
		Namespace string          `json:"namespace"`
		Candidate json.RawMessage `json:"candidate"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for i, entry := range list {
		at := slices.IndexFunc(g.namespaces, func(n namespace) bool { return n.Namespace == entry.Namespace })
		if at < 0 {
			return fmt.Errorf("%s /%d: there is no namespace %q", file, i, entry.Namespace)
		}
		g.judge(fmt.Sprintf("%s /%d/candidate", file, i), g.namespaces[at].CandidateSchema, entry.Candidate)
		hash, err := g.namespaces[at].hash(entry.Candidate)
		if err != nil {
			return fmt.Errorf("%s /%d: %w", file, i, err)
		}
		for member, value := range map[string]string{"id": version8(hash), "key": entry.Namespace + ":" + hex.EncodeToString(hash[:])} {
			if text, err = replaceText(text, fmt.Sprintf("/%d/%s", i, member), value); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return g.write(file, text)
}
