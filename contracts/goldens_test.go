package contracts_test

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/goldens"
)

func registry(t testing.TB) *contracts.Registry {
	t.Helper()
	r, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGoldensAreValidAndHaveTheirDigests(t *testing.T) {
	r, cases := registry(t), goldens.ReadValid(t, "goldens")
	for _, c := range cases {
		violations, err := r.Validate(c.Schema, c.Document)
		if err != nil || len(violations) > 0 {
			t.Errorf("%s/%s: %+v, %v", c.Schema, c.Name, violations, err)
		}
		candidate, err := r.Candidate(c.Schema, c.Document)
		if err != nil || string(candidate) != string(c.Canonical) {
			t.Errorf("%s/%s: the candidate is %s, %v", c.Schema, c.Name, candidate, err)
		}
		digest, err := r.Digest(c.Schema, c.Document)
		if c.SHA256 == "" && !errors.Is(err, contracts.ErrNoDigest) {
			t.Errorf("%s/%s: a digest without a rule: %x, %v", c.Schema, c.Name, digest, err)
		}
		if c.SHA256 != "" && (err != nil || hex.EncodeToString(digest[:]) != c.SHA256) {
			t.Errorf("%s/%s: the digest is %x, %v", c.Schema, c.Name, digest, err)
		}
	}
}

func TestGoldensThatAreInvalidBreakExactlyTheirRules(t *testing.T) {
	r, cases := registry(t), goldens.ReadInvalid(t, "goldens")
	for _, c := range cases {
		got, err := r.Validate(c.Schema, c.Document)
		if err != nil {
			t.Errorf("%s: %s: %v", c.Schema, c.Name, err)
		}
		equalViolations(t, c.Schema+": "+c.Name, got, c.Violations)
	}
}

func equalViolations(t *testing.T, name string, got []contracts.Violation, want []goldens.Violation) {
	t.Helper()
	same := len(got) == len(want)
	for i := range want {
		same = same && want[i] == (goldens.Violation{Path: got[i].Path, Rule: got[i].Rule})
	}
	if !same {
		t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
	}
}

func TestGoldensOfDerivedIdentifiers(t *testing.T) {
	r := registry(t)
	for _, c := range goldens.ReadDerived(t, "goldens") {
		if id, err := r.DeriveID(c.Namespace, c.Candidate); err != nil || id != c.ID {
			t.Errorf("%s %s: id %s, %v, want %s", c.Namespace, c.Candidate, id, err, c.ID)
		}
		if key, err := r.DeriveKey(c.Namespace, c.Candidate); err != nil || key != c.Key {
			t.Errorf("%s %s: key %s, %v, want %s", c.Namespace, c.Candidate, key, err, c.Key)
		}
	}
}
func TestEverySchemaHasGoldens(t *testing.T) {
	valid, invalid := map[string]bool{}, map[string]bool{}
	for _, c := range goldens.ReadValid(t, "goldens") {
		valid[c.Schema] = true
	}
	for _, c := range goldens.ReadInvalid(t, "goldens") {
		invalid[c.Schema] = true
	}
	r := registry(t)
	for _, schema := range r.Schemas() {
		_, err := r.Validate(schema, []byte(`{}`))
		if describes := !errors.Is(err, contracts.ErrUnknownSchema); valid[schema] != describes || invalid[schema] != describes {
			t.Errorf("%s: valid goldens %t, invalid ones %t, wanted %t", schema, valid[schema], invalid[schema], describes)
		}
	}
}
