package contracts_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/schema"
	"github.com/oceanway/outbox/internal/schema/gendoc"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// batch is how many documents of a schema one check judges: with rapid's 100 checks and more than twenty schemas that
// makes over ten thousand documents. -rapid.checks asks for more; a failure prints what repeats it.
const batch = 6

// notObjects are documents that no schema of this release accepts; one of them goes into each batch.
var notObjects = []string{"null", "true", "1", `"x"`, "[]", "[{}]", `[1e999]`}

// opinion is everything that one side says of a document.
type opinion struct {
	violations []string
	canonical  string // of the whole; empty where there is none
	digest     string // by the schema's rule; empty where there is none
}

// onlyInGo tells of a violation that the document has a canonical form in Go and none in the database: it holds U+0000, or
// nests deeper than 128 levels, which is the one nesting that is said of the whole document.
func onlyInGo(v contracts.Violation) bool {
	return v.Rule == "no_nul_character" || v.Rule == "nesting_within_limit" && v.Path == ""
}

// opinionOfGo asks the package.
func opinionOfGo(t *rapid.T, registry *contracts.Registry, s *schema.Schema, text string) opinion {
	found, err := registry.Validate(s.Name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var said opinion
	for _, v := range found {
		said.violations = append(said.violations, v.Path+" "+v.Rule)
	}
	if slices.ContainsFunc(found, onlyInGo) {
		return said
	}
	if canonical, err := contracts.Canonical([]byte(text)); err == nil {
		said.canonical = string(canonical)
	}
	if digest, err := registry.Digest(s.Name, []byte(text)); err == nil {
		said.digest = hex.EncodeToString(digest[:])
	}
	return said
}

// opinionSQL asks the database about many documents of one schema; for the canonical form and the digest only where Go has one,
// since a refusal would end the statement. refusesToo asks for the others.
const opinionSQL = `
	select
		(
			select coalesce(json_agg(v.path || ' ' || v.rule order by v.place), '[]')
			from contracts.validate($1, d.document::json) with ordinality as v(path, rule, detail, place)
		)::text as violations,
		case when d.canonical then contracts.jcs(d.document::json) else '' end as canonical,
		case when d.digested then encode(contracts.digest($1, d.document::json), 'hex') else '' end as digest
	from rows from (unnest($2::text[]), unnest($3::bool[]), unnest($4::bool[])) with ordinality as d(document, canonical, digested, place)
	order by d.place`

// opinionsOfDatabase asks the database.
func opinionsOfDatabase(t *rapid.T, db tap.Querier, s *schema.Schema, texts []string, of []opinion) []opinion {
	canonical, digested := make([]bool, len(texts)), make([]bool, len(texts))
	for i, o := range of {
		canonical[i], digested[i] = o.canonical != "", o.digest != ""
	}
	rows, err := db.Query(t.Context(), opinionSQL, s.Name, texts, canonical, digested)
	if err != nil {
		t.Fatal(err)
	}
	said, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (o opinion, err error) {
		var violations string
		if err := row.Scan(&violations, &o.canonical, &o.digest); err != nil {
			return o, fmt.Errorf("read an opinion: %w", err)
		}
		return o, json.Unmarshal([]byte(violations), &o.violations)
	})
	if err != nil {
		t.Fatalf("%v\n%q", err, texts)
	}
	return said
}

// refusesToo asks the database for what Go has not, each in a statement of its own, and wants a refusal of ours.
func refusesToo(t *rapid.T, db tap.Querier, s *schema.Schema, text string, of opinion) {
	wants := func(have, sql string, arguments ...any) {
		if have != "" {
			return
		}
		_, err := db.Exec(t.Context(), sql, arguments...)
		var refusal *pgconn.PgError
		if !errors.As(err, &refusal) || !strings.HasPrefix(refusal.Code, "OX") {
			t.Fatalf("%s: Go has nothing to compare, but %s: %v\n%s", s.Name, sql, err, text)
		}
	}
	wants(of.canonical, "select contracts.jcs($1::text::json)", text)
	wants(of.digest, "select contracts.digest($1, $2::text::json)", s.Name, text)
}

func same(a, b opinion) bool {
	return slices.Equal(a.violations, b.violations) && a.canonical == b.canonical && a.digest == b.digest
}

// TestGoAndDatabaseJudgeAlike: on documents that a schema accepts, and on documents that something happened to, database
// and Go say the same: every path and rule, the same canonical bytes, the same digest, or that there is none.
func TestGoAndDatabaseJudgeAlike(t *testing.T) {
	t.Parallel()
	set, err := schema.Load(os.DirFS("../../contracts/schemas"))
	if err != nil {
		t.Fatal(err)
	}
	registry, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	d := testdb.New(t)
	for _, s := range set.Ordered() {
		if s.Root == nil {
			continue
		}
		t.Run(s.Name, func(tt *testing.T) {
			db := d.Conn(tt)
			documents := rapid.OneOf(rapid.Map(gendoc.Valid(s), func(text string) gendoc.Document { return gendoc.Document{Mutation: "none", Text: text} }), gendoc.Mutant(s), gendoc.Mutant(s))
			judged, valid := 0, 0
			rapid.Check(tt, func(t *rapid.T) {
				drawn := rapid.SliceOfN(documents, batch, batch).Draw(t, "documents")
				drawn = append(drawn, gendoc.Document{Mutation: "not an object", Text: rapid.SampledFrom(notObjects).Draw(t, "another")})
				texts, ofGo := make([]string, len(drawn)), make([]opinion, len(drawn))
				judged += batch
				for i, document := range drawn {
					texts[i] = document.Text
					ofGo[i] = opinionOfGo(t, registry, s, document.Text)
					if len(ofGo[i].violations) == 0 {
						valid++
					}
				}
				for i, said := range opinionsOfDatabase(t, db, s, texts, ofGo) {
					if !same(said, ofGo[i]) {
						t.Fatalf("%s: %s\n%s\n  database: %+v\n  Go:       %+v", s.Name, drawn[i].Mutation, texts[i], said, ofGo[i])
					}
					refusesToo(t, db, s, texts[i], ofGo[i])
				}
			})
			tap.Ok(tt, valid > judged/5 && valid < judged, fmt.Sprintf("%d of %d documents were valid", valid, judged))
		})
	}
}
