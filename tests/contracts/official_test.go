package contracts_test

import (
	"slices"
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestOfficialFilesBecomeTheirOfficialOutput(t *testing.T) {
	t.Parallel()
	hold(t, testdb.New(t).Conn(t), official(t))
}

func TestCanonicalFormIsAFixedPoint(t *testing.T) {
	t.Parallel()
	good, _ := vectors(t)
	var fixed []sample
	for _, s := range slices.Concat(official(t), good) {
		fixed = append(fixed, sample{s.name, s.out, s.out})
	}
	hold(t, testdb.New(t).Conn(t), fixed)
}

func TestVectorsHaveTheirCanonicalForm(t *testing.T) {
	t.Parallel()
	good, _ := vectors(t)
	hold(t, testdb.New(t).Conn(t), good)
}

func TestVectorsWithoutACanonicalFormAreRefused(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	_, bad := vectors(t)
	for _, s := range bad {
		switch s.out {
		case "duplicate key":
			refused(t, db, "OX001", "no_duplicate_key", "/a", s.in)
		case "lone surrogate":
			tap.Throws(t, db, "OX001", "no_lone_surrogate", "select contracts.jcs($1::json)", s.in)
		default: // not JSON at all
			tap.Throws(t, db, "22P02", "", "select contracts.jcs($1::json)", s.in)
		}
	}
}

// TestVectorsTellTheKeyOrdersApart breaks the sorter in two ways and expects the test data to notice each.
func TestVectorsTellTheKeyOrdersApart(t *testing.T) {
	t.Parallel()
	good, _ := vectors(t)
	samples, db := slices.Concat(official(t), good), testdb.New(t).As(t, "outbox_owner")
	for name, body := range map[string]string{
		"by code point":       "p_text",
		"by length, as jsonb": "octet_length(p_text)::text",
	} {
		t.Run(name, func(t *testing.T) {
			tap.Exec(t, db, `
				create or replace function contracts.utf16_key(p_text text) returns text language sql immutable strict parallel safe
				as $$ select `+body+` $$`)
			documents := make([]string, len(samples))
			for i, s := range samples {
				documents[i] = s.in
			}
			wrong := 0
			for i, have := range canonicalise(t, db, documents) {
				if have != samples[i].out {
					wrong++
				}
			}
			tap.Ok(t, wrong > 0, "a wrong order of keys fails the vectors")
		})
	}
}
