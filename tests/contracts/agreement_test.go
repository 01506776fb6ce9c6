package contracts_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestGoAndDatabaseAgreeOnTheCorpus(t *testing.T) {
	t.Parallel()
	for _, s := range corpus(t) {
		form, err := contracts.Canonical([]byte(s.in))
		if err != nil || string(form) != s.out {
			t.Errorf("%.100s\n  Go:  %.200s, %v\n  RFC: %.200s", s.name, form, err, s.out)
		}
	}
}

// generator writes random documents, among them what encoders do not write.
type generator struct{ *rand.Rand }

func (g generator) document(depth int) string {
	switch kind := g.IntN(8); {
	case depth > 0 && kind < 3:
		return g.object(depth)
	case depth > 0 && kind == 3:
		items := make([]string, g.IntN(4))
		for i := range items {
			items[i] = g.space() + g.document(depth-1) + g.space()
		}
		return "[" + strings.Join(items, ",") + "]"
	case kind == 4:
		return []string{"true", "false", "null"}[g.IntN(3)]
	case kind == 5:
		return g.text()
	default:
		return g.number()
	}
}

func (g generator) object(depth int) string {
	members, names := []string{}, map[string]bool{}
	for range g.IntN(6) {
		text := g.text()
		var name string
		if err := json.Unmarshal([]byte(text), &name); err != nil {
			panic(err) // text writes JSON
		}
		if !names[name] {
			names[name] = true
			members = append(members, g.space()+text+g.space()+":"+g.space()+g.document(depth-1))
		}
	}
	return "{" + strings.Join(members, ",") + g.space() + "}"
}

func (g generator) space() string { return []string{"", "", "", " ", "\n\t"}[g.IntN(5)] }

// text writes a short string in a random spelling of its characters.
func (g generator) text() string {
	alphabet := []rune{'a', 'b', 'A', ':', '"', '\\', '/', '\n', 0x01, 0x1f, 0x7f, 0xe9, 0x301, 0x2028, 0xfb33, 0xffff, 0x10000, 0x1f602, 0x10ffff}
	var written strings.Builder
	written.WriteByte('"')
	for range g.IntN(5) {
		r := alphabet[g.IntN(len(alphabet))]
		switch {
		case r >= 0x10000 && g.IntN(2) == 0:
			fmt.Fprintf(&written, `\u%04X\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		case r < 0x10000 && (r < 0x20 || r == '"' || r == '\\' || g.IntN(3) == 0):
			fmt.Fprintf(&written, `\u%04x`, r)
		default:
			written.WriteRune(r)
		}
	}
	written.WriteByte('"')
	return written.String()
}

// number writes a random double, or digits that must be rounded to one.
func (g generator) number() string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("%d", g.Int64()>>g.IntN(64))
	case 1:
		return fmt.Sprintf("%d.%de%d", g.IntN(10), g.Uint64(), g.IntN(700)-400)
	case 2:
		return fmt.Sprintf("-%d%020dE+%d", 1+g.IntN(9), g.Uint64(), g.IntN(20))
	default:
		if f := math.Float64frombits(g.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return fmt.Sprintf("%.*e", g.IntN(25), f)
		}
		return "-0.0"
	}
}

// TestGoAndDatabaseAgreeOnRandomDocuments compares forms, and refusals where a number is beyond a double.
func TestGoAndDatabaseAgreeOnRandomDocuments(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := generator{rand.New(rand.NewPCG(seed, 0))}
	db := testdb.New(t).Conn(t)
	var samples []sample
	var beyond []string
	for len(samples) < 6000 {
		document := random.document(4)
		form, err := contracts.Canonical([]byte(document))
		if err != nil {
			beyond = append(beyond, document)
			continue
		}
		samples = append(samples, sample{document, document, string(form)})
	}
	hold(t, db, samples)
	for _, document := range beyond[:min(50, len(beyond))] {
		tap.Throws(t, db, "OX002", "number_within_range", "select contracts.jcs($1::json)", document)
	}
}

// TestWhereGoAndDatabaseDiffer is the whole list of documents that only one of the two accepts. What is digested passes
// the database's stricter side.
func TestWhereGoAndDatabaseDiffer(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for _, c := range []struct{ why, sqlstate, document, form string }{
		{"RFC 8785 allows U+0000, PostgreSQL text cannot hold it", "OX001", `"\u0000"`, `"\u0000"`},
		{"the database bounds nesting", "OX001", nested(129, "[", "", "]"), nested(129, "[", "", "]")},
	} {
		tap.Throws(t, db, c.sqlstate, "", "select contracts.jcs($1::json)", c.document)
		form, err := contracts.Canonical([]byte(c.document))
		if err != nil || string(form) != c.form {
			t.Errorf("%s: Go gives %.200q, %v", c.why, form, err)
		}
	}
}

// TestGoAndDatabaseRefuseTheSame holds the Go package to what has no canonical form.
func TestGoAndDatabaseRefuseTheSame(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	_, bad := vectors(t)
	documents := make([]string, 0, len(bad))
	for _, s := range bad {
		documents = append(documents, s.in)
	}
	for _, document := range slices.Concat(documents, []string{
		``, ` `, `{`, `[1,]`, `{"a":1,}`, `{a:1}`, `'a'`, `[NaN]`, `[Infinity]`, `[-]`, `[+1]`, `[1.]`, `[.5]`, `[01]`, `[-01]`, `[0x10]`, `[1_000]`,
		`[1e]`, `[1e+]`, `tru`, `nulls`, `"\x"`, `"\u12"`, `"\u00g0"`, "\"\n\"", "\"\x01\"", `1 2`, `[]]`, `{"a"}`, `{"a":}`, `{:1}`, `[,]`, `"a`, "\ufeff1",
		`1e400`, `-1e400`, strings.Repeat("9", 400), `{"a":1,"a":1}`, `{"\u003a":1,":":1}`, `"\ud800"`, `"\ude02\ud83d"`, `{"\udfff":1}`,
	}) {
		if form, err := contracts.Canonical([]byte(document)); err == nil {
			t.Errorf("Go accepts %.100q as %.100q", document, form)
		}
		if _, err := db.Exec(t.Context(), "select contracts.jcs($1::json)", document); err == nil {
			t.Errorf("the database accepts %.100q", document)
		}
	}
}
