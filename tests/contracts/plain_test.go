package contracts_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// TestWhatIsPlain holds the scan that decides which documents are written without care.
func TestWhatIsPlain(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Conn(t)
	for document, want := range map[string]bool{
		`{}`: true, ` [ ] `: true, `true`: true, `{"a":1, "b" : [ -2 , 0.5,null ]}`: true, `[0,-0,1.50,100,0.000001,999999999999999]`: true,
		`{"é中﷼!":"😂\"\\\/\b\f\n\r\t"}`: true, `{"{[,:":"}],:"}`: true, `[": ","x, ","\", \""]`: true,
		// What would be written otherwise than it is read.
		`{"a\n":1}`: false, `{"a\"":1}`: false, `{"😂":1}`: false, `{"x":{"a😂":1}}`: false, `["\u0061"]`: false, `["\\u0000"]`: true, `["\\\u0061"]`: false,
		`[1e2]`: false, `[1E2]`: false, `[0.0]`: false, `[0.0000001]`: false, `[-0.0]`: false, `[9007199254740993]`: false, `[0.10000000000000001]`: false,
		// A document that is one text or number is left to the general way.
		`"a"`: false, `1`: false,
	} {
		tap.RowEq(t, db, tap.Row{want}, "select contracts.is_plain($1::json::text)", document)
	}
}

// border writes random documents, most of which are plain or only just not.
type border struct{ generator }

func (b border) piece() string {
	pieces := []string{"a", "b", "ab", "A", " ", ":", ", ", "{", "]", "é", "\uffff", "中", "~/", "1", "x, ", ": ", "\x7f"}
	if b.IntN(40) == 0 {
		return []string{"😂", `\u0061`, `\u003a`, `\n`, `\"`, `\\`, `\/`}[b.IntN(7)]
	}
	return pieces[b.IntN(len(pieces))]
}

func (b border) text() string {
	var written strings.Builder
	for range b.IntN(4) {
		written.WriteString(b.piece())
	}
	return `"` + written.String() + `"`
}

func (b border) number() string {
	sign := []string{"", "", "-"}[b.IntN(3)]
	switch b.IntN(20) {
	case 0:
		return sign + []string{"0", "0.0", "1e2", "9007199254740993", "0.0000001", "123456789012345.6"}[b.IntN(6)]
	case 1, 2, 3:
		return sign + "0." + strings.Repeat("0", b.IntN(7)) + fmt.Sprint(1+b.IntN(10_000_000))
	case 4, 5, 6:
		return sign + fmt.Sprintf("%d.%d00", 1+b.IntN(1000), b.IntN(1_000_000))
	default:
		return sign + fmt.Sprint(b.Int64N(1_000_000_000_000_000))
	}
}

func (b border) document(depth int) string {
	kind := b.IntN(9)
	if depth == 0 {
		kind = 4 + b.IntN(5)
	}
	switch kind {
	case 0, 1, 2:
		members := make([]string, b.IntN(6))
		for i := range members {
			members[i] = b.space() + b.text() + b.space() + ":" + b.space() + b.document(depth-1)
		}
		return "{" + strings.Join(members, ",") + b.space() + "}"
	case 3:
		items := make([]string, b.IntN(5))
		for i := range items {
			items[i] = b.space() + b.document(depth-1) + b.space()
		}
		return "[" + strings.Join(items, ",") + "]"
	case 4:
		return []string{"true", "false", "null"}[b.IntN(3)]
	case 5, 6:
		return b.text()
	default:
		return b.number()
	}
}

// TestBothWaysGiveTheCanonicalForm holds contracts.jcs and the general contracts.jcs_node to Go, plain or not.
func TestBothWaysGiveTheCanonicalForm(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := border{generator{rand.New(rand.NewPCG(seed, 0))}}
	db := testdb.New(t).Conn(t)
	var documents, forms []string
	var duplicates int
	for len(documents) < 6000 {
		document := "[" + random.document(4) + "," + random.document(4) + "]"
		form, err := contracts.Canonical([]byte(document))
		if err == nil {
			documents, forms = append(documents, document), append(forms, string(form))
		} else if duplicates++; duplicates < 100 {
			tap.Throws(t, db, "OX001", "no_duplicate_key", "select contracts.jcs($1::json)", document)
		}
	}
	tap.IsEmpty(t, db, `
		select d.document, contracts.jcs(d.document::json), contracts.jcs_node(r.value, '', 128, false, r.astral), d.form
		from unnest($1::text[], $2::text[]) as d(document, form)
		cross join lateral contracts.read_json(d.document::json, false) as r
		where r.rule is not null or (contracts.jcs(d.document::json), contracts.jcs_node(r.value, '', 128, false, r.astral)) is distinct from (d.form, d.form)`,
		documents, forms)
	plain := tap.Value[int](t, db, "select count(*)::int from unnest($1::text[]) as d(document) where contracts.is_plain(d.document)", documents)
	tap.Ok(t, plain > 1000 && plain < 5800, fmt.Sprintf("%d of %d are plain", plain, len(documents)))
}
