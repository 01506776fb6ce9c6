package registration

import (
	"fmt"
	"strings"

	"github.com/gowebpki/jcs"

	"github.com/oceanway/outbox/internal/schema"
	"github.com/oceanway/outbox/internal/schema/quickcheck"
)

// Row is a row of an insert, over several lines.
type Row struct {
	What     string // for people
	Identity string // a released row has to have it word for word
	Rest     string // may become better in a later version of this package
}

// Schemas writes the rows of contracts.schemas, each after those that it refers to. A schema that only
// holds definitions has none: the others hold them resolved.
func Schemas(set *schema.Set) ([]Row, error) {
	ordered := set.Ordered()
	references, err := newResolver(ordered)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, s := range ordered {
		if s.Root == nil {
			continue
		}
		document, err := literal(s.Document)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		resolved, err := references.text(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		row := Row{
			What:     s.Name,
			Identity: fmt.Sprintf("('%s',\n%s,\n", s.Name, document),
			Rest:     resolved + ",\n" + quickCheck(s.Root) + ")",
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// quickCheck is the text of the jsonpath for contracts.schemas.quick_check.
func quickCheck(root schema.Node) string {
	const most = 1 << 16 // reading a longer one takes longer than it saves
	if path := quickcheck.Compile(root); len(path) <= most {
		return "$path$" + strings.ReplaceAll(path, "$path", `\u0024path`) + "$path$"
	}
	return "null"
}

// literal is a JSON document in canonical form, in SQL. Escaped are control characters that canonical form
// leaves as they are, which are traps in SQL for people to read, and what would end the literal.
func literal(document []byte) (string, error) {
	canonical, err := jcs.Transform(document)
	if err != nil {
		return "", fmt.Errorf("the document has no canonical form: %w", err)
	}
	var text strings.Builder
	for _, r := range strings.ReplaceAll(string(canonical), "$json", `\u0024json`) {
		if r >= 0x7f && r <= 0x9f {
			fmt.Fprintf(&text, `\u%04x`, r)
		} else {
			text.WriteRune(r)
		}
	}
	return "$json$" + text.String() + "$json$", nil
}
