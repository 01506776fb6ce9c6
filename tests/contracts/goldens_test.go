package contracts_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/goldens"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

const goldenDir = "../../contracts/goldens"

// judged is a document with the schema that it is to be judged by.
type judged struct{ schema, document string }

// validateSQL judges many documents in one statement.
const validateSQL = `
	select d.place::pg_catalog.int4 - 1 as item, v.path, v.rule
	from rows from (pg_catalog.unnest($1::pg_catalog.text[]), pg_catalog.unnest($2::pg_catalog.text[])) with ordinality as d(schema, document, place)
	cross join lateral contracts.validate(d.schema, d.document::pg_catalog.json) with ordinality as v(path, rule, detail, place)
	order by d.place, v.place`

// violations asks the database what is wrong with each of the documents.
func violations(t testing.TB, db tap.Querier, documents []judged) [][]goldens.Violation {
	t.Helper()
	schemas, texts := make([]string, len(documents)), make([]string, len(documents))
	for i, d := range documents {
		schemas[i], texts[i] = d.schema, d.document
	}
	rows, err := db.Query(t.Context(), validateSQL, schemas, texts)
	if err != nil {
		t.Fatal(err)
	}
	found := make([][]goldens.Violation, len(documents))
	var item int
	var violation goldens.Violation
	if _, err := pgx.ForEachRow(rows, []any{&item, &violation.Path, &violation.Rule}, func() error {
		found[item] = append(found[item], violation)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// holdGoldens asserts that a session judges, canonicalises and digests every golden as its files say.
func holdGoldens(t *testing.T, db tap.Querier) {
	t.Helper()
	valid, invalid := goldens.ReadValid(t, goldenDir), goldens.ReadInvalid(t, goldenDir)
	var documents []judged
	for _, v := range valid {
		documents = append(documents, judged{v.Schema, string(v.Document)})
	}
	for _, v := range invalid {
		if !slices.ContainsFunc(v.Violations, notJSON) {
			documents = append(documents, judged{v.Schema, string(v.Document)})
		}
	}
	found := violations(t, db, documents)
	for i, v := range valid {
		if len(found[i]) > 0 {
			t.Errorf("%s/%s is valid, not %+v", v.Schema, v.Name, found[i])
		}
		if v.SHA256 != "" {
			tap.RowEq(t, db, tap.Row{v.SHA256}, "select pg_catalog.encode(contracts.digest($1, $2::pg_catalog.text::pg_catalog.json), 'hex')", v.Schema, string(v.Document))
		}
	}
	i := len(valid)
	for _, v := range invalid {
		if slices.ContainsFunc(v.Violations, notJSON) {
			continue
		}
		if !slices.Equal(found[i], v.Violations) {
			t.Errorf("%s: %s\n  have: %+v\n  want: %+v", v.Schema, v.Name, found[i], v.Violations)
		}
		i++
	}
}

// notJSON is what PostgreSQL refuses before any function of ours sees it.
func notJSON(v goldens.Violation) bool { return v.Rule == "text_is_json" }

func TestValidGoldensAreAcceptedWithTheirDigests(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	holdGoldens(t, db)
	var samples []sample
	for _, v := range goldens.ReadValid(t, goldenDir) {
		samples = append(samples, sample{v.Schema + "/" + v.Name, string(v.Canonical), string(v.Canonical)})
	}
	hold(t, db, samples)
}

// TestInvalidGoldensBreakExactlyTheirRules: every object has at least a dozen documents that are wrong, and between them
// they break every rule that a schema can state.
func TestInvalidGoldensBreakExactlyTheirRules(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	perSchema, broken := map[string]int{}, map[string]bool{}
	for _, v := range goldens.ReadInvalid(t, goldenDir) {
		perSchema[v.Schema]++
		for _, violation := range v.Violations {
			broken[violation.Rule] = true
		}
		if slices.ContainsFunc(v.Violations, notJSON) {
			tap.Throws(t, db, "22P02", "", "select contracts.validate($1, $2::text::json)", v.Schema, string(v.Document))
			continue
		}
		if found := violations(t, db, []judged{{v.Schema, string(v.Document)}})[0]; !slices.Equal(found, v.Violations) {
			t.Errorf("%s: %s\n  have: %+v\n  want: %+v", v.Schema, v.Name, found, v.Violations)
		}
	}
	for _, schema := range documented(t, db) {
		tap.Ok(t, perSchema[schema] >= 12, schema+" has a dozen documents that are wrong")
	}
	for _, rule := range []string{
		"type_is_right", "member_is_known", "member_is_present", "quartet_is_complete", "value_is_expected", "value_is_listed",
		"branch_is_known", "text_matches_pattern", "text_length_within_bounds", "decimal_is_canonical", "number_within_bounds",
		"array_is_sorted", "array_has_no_duplicate", "count_equals_length", "members_are_equal",
		"digest_matches", "text_is_nfc", "no_duplicate_key", "no_nul_character", "no_lone_surrogate", "number_is_exact",
		"nesting_within_limit",
	} {
		tap.Ok(t, broken[rule], "some golden breaks "+rule)
	}
}

// documented are the registered schemas that describe a document of their own and are no candidate of an identifier.
func documented(t testing.TB, db tap.Querier) []string {
	t.Helper()
	return tap.Column[string](t, db, `
		select s.schema from contracts.schemas as s
		where not exists (select from contracts.namespaces as n where n.candidate_schema = s.schema)`)
}

// TestTheQuickCheckAcceptsOnlyWhatTheSchemaAccepts: the compiled check is never the one that lets a document pass.
func TestTheQuickCheckAcceptsOnlyWhatTheSchemaAccepts(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	accepted := 0
	const checkSQL = "select coalesce((select jsonb_path_match($2::text::jsonb, s.quick_check, '{}', true) from contracts.schemas as s where s.schema = $1), false)"
	for _, v := range goldens.ReadValid(t, goldenDir) {
		if tap.Value[bool](t, db, checkSQL, v.Schema, string(v.Document)) {
			accepted++
		} else {
			t.Logf("%s/%s is judged by the schema itself", v.Schema, v.Name)
		}
	}
	tap.Ok(t, accepted > 50, "the compiled check answers for most valid documents")
	later := []string{"digest_matches", "number_is_exact", "nesting_within_limit"}
	early := []string{"no_duplicate_key", "no_nul_character", "no_lone_surrogate", "text_is_nfc", "text_is_json", "raw_size_within_limit"}
	for _, v := range goldens.ReadInvalid(t, goldenDir) {
		if slices.ContainsFunc(v.Violations, func(w goldens.Violation) bool { return slices.Contains(slices.Concat(later, early), w.Rule) }) {
			continue // no rule of a schema
		}
		tap.Ok(t, !tap.Value[bool](t, db, checkSQL, v.Schema, string(v.Document)), v.Schema+": "+v.Name+" passes the compiled check")
	}
}

func TestGoAndDatabaseHaveTheSameSchemas(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	registry, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range registry.Schemas() {
		source, _ := registry.Schema(name)
		if _, err := registry.Validate(name, []byte("{}")); err != nil {
			continue // definitions for others, which the database holds resolved
		}
		canonical, err := contracts.Canonical(source)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, name+" "+string(canonical))
	}
	have := tap.Column[string](t, db, "select schema || ' ' || contracts.jcs(document::text::json) from contracts.schemas")
	slices.Sort(want)
	slices.Sort(have)
	tap.Ok(t, slices.Equal(have, want), "the embedded schemas are the registered ones")
}
