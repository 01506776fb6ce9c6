package contracts_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/oceanway/outbox/contracts"
)

func TestEveryReleasedSchemaCompiles(t *testing.T) {
	if _, err := contracts.LoadFrom(contracts.Released()); err != nil {
		t.Error(err)
	}
}

func TestBrokenSchemasAreRefused(t *testing.T) {
	const head = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:oceanway:contracts:Case@1",`
	for why, schema := range map[string]string{
		"not JSON":                head,
		"of another name":         strings.Replace(head, "Case", "Other", 1) + `"type":"object"}`,
		"an unknown keyword":      head + `"type":"object","x-other":1}`,
		"an unknown type":         head + `"type":"record"}`,
		"a reference to nowhere":  head + `"$ref":"urn:oceanway:contracts:Nowhere@1"}`,
		"a file of the machine":   head + `"$ref":"file:///etc/passwd"}`,
		"a definition not there":  head + `"$ref":"#/$defs/nowhere"}`,
		"a digest of no members":  head + `"type":"object","x-digest":{"excludes":1}}`,
		"a union without choices": head + `"x-discriminator":"kind","oneOf":[]}`,
	} {
		if _, err := contracts.LoadFrom(fstest.MapFS{"schemas/Case@1.json": {Data: []byte(schema)}, "namespaces.json": {Data: []byte("[]")}}); err == nil {
			t.Errorf("%s: loaded", why)
		}
	}
}

// TestRegistryJudgesForManyAtOnce is for the race detector: the first to ask compiles.
func TestRegistryJudgesForManyAtOnce(t *testing.T) {
	r := registry(t)
	var askers sync.WaitGroup
	for range 4 {
		for _, schema := range r.Schemas() {
			askers.Go(func() {
				violations, err := r.Validate(schema, []byte(`[]`))
				if err == nil && len(violations) != 1 {
					t.Errorf("%s: %+v", schema, violations)
				}
			})
		}
	}
	askers.Wait()
}

// TestDigestIsRefusedInTheOrderOfTheDatabase: the schema, its rule, the reading of the text, and then its type.
func TestDigestIsRefusedInTheOrderOfTheDatabase(t *testing.T) {
	r := registry(t)
	documents := []string{`{}`, `[]`, `1`, `null`, `"x"`, ``, `{`, `[1e999]`, `{"a":1,"a":2}`}
	for schema, want := range map[string]error{
		"Nowhere@1": contracts.ErrUnknownSchema, "CommonTypes@1": contracts.ErrUnknownSchema,
		"ConsumerVerdict@1": contracts.ErrNoDigest, "SettlementEconomicIdentity@1": contracts.ErrNoDigest,
	} {
		for _, document := range documents {
			if _, err := r.Digest(schema, []byte(document)); !errors.Is(err, want) {
				t.Errorf("%s %s: %v", schema, document, err)
			}
		}
	}
	// The first leaves nothing out of its digest, the second three members.
	for _, schema := range []string{contracts.EnvelopeSchema, "OperationsProjectionAppliedReceipt@1"} {
		for _, document := range documents {
			_, err := r.Digest(schema, []byte(document))
			_, ofCandidate := r.Candidate(schema, []byte(document))
			var violation *contracts.ViolationError
			switch document {
			case `{}`:
				if err != nil || ofCandidate != nil {
					t.Errorf("%s %s: %v, %v", schema, document, err, ofCandidate)
				}
			case `[]`, `1`, `null`, `"x"`:
				for _, err := range []error{err, ofCandidate} {
					if !errors.As(err, &violation) || violation.Schema != schema || len(violation.Violations) != 1 ||
						violation.Violations[0].Path != "" || violation.Violations[0].Rule != "type_is_right" {
						t.Errorf("%s %s: %v", schema, document, err)
					}
				}
			default:
				if !errors.Is(err, contracts.ErrNoCanonicalForm) || !errors.Is(ofCandidate, contracts.ErrNoCanonicalForm) {
					t.Errorf("%s %s: %v, %v", schema, document, err, ofCandidate)
				}
			}
		}
	}
}
