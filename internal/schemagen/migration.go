package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oceanway/outbox/internal/schema"
	"github.com/oceanway/outbox/internal/schema/quickcheck"
)

const schemasSuffix = "_contract_schemas.sql"

// row is a row of an insert, over several lines. What identifies it is that a released row has to
// have it word for word.
type row struct {
	what     string // for people
	identity string
	rest     string // may become better in a later version of this generator
}

func (r row) text() string { return r.identity + r.rest }

// migration writes the rows that no released migration holds.
func (g *generator) migration() error {
	schemas, err := g.schemaRows()
	if err != nil {
		return err
	}
	namespaces, err := g.namespaceRows()
	if err != nil {
		return err
	}
	state, err := readMigrations(g.path("sql/migrations"))
	if err != nil {
		return err
	}
	if err := state.refuseChanges(slices.Concat(schemas, namespaces)); err != nil {
		return err
	}
	schemas = slices.DeleteFunc(schemas, state.isReleased)
	namespaces = slices.DeleteFunc(namespaces, state.isReleased)
	if len(schemas)+len(namespaces) == 0 {
		return g.removeUnreleased(state)
	}
	number, err := state.number()
	if err != nil {
		return err
	}
	text, err := migrationText(schemas, namespaces)
	if err != nil {
		return err
	}
	return g.write(filepath.Join(state.folder, fmt.Sprintf("%03d%s", number, schemasSuffix)), []byte(text))
}

func (g *generator) removeUnreleased(state *migrations) error {
	name := state.unreleased(schemasSuffix)
	if name == "" {
		return nil
	}
	if err := os.Remove(filepath.Join(state.folder, name)); err != nil {
		return fmt.Errorf("remove a migration that registers nothing: %w", err)
	}
	fmt.Fprintln(g.out, "removed", name)
	return nil
}

func (g *generator) schemaRows() ([]row, error) {
	var rows []row
	references, err := newResolver(g.schemas.Ordered())
	if err != nil {
		return nil, err
	}
	for _, s := range g.schemas.Ordered() {
		if s.Root == nil {
			continue // definitions for others, which hold them resolved
		}
		document, err := canonical(s.Document)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		resolved, err := references.text(s)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what:     s.Name,
			identity: fmt.Sprintf("('%s',\n$json$%s$json$,\n", s.Name, visible(string(document))),
			rest:     resolved + ",\n" + quickCheck(s.Root) + ")",
		})
	}
	return rows, nil
}

// quickCheck is the text of the jsonpath for contracts.schemas.quick_check.
func quickCheck(root schema.Node) string {
	const most = 1 << 16 // reading a longer one takes longer than it saves
	if root == nil {
		return "null"
	}
	if path := quickcheck.Compile(root); len(path) <= most {
		return "$path$" + path + "$path$"
	}
	return "null"
}

// visible escapes the control characters that canonical form leaves as they are: in SQL for people to
// read they are traps.
func visible(document string) string {
	var text strings.Builder
	for _, r := range document {
		if r >= 0x7f && r <= 0x9f {
			fmt.Fprintf(&text, `\u%04x`, r)
		} else {
			text.WriteRune(r)
		}
	}
	return text.String()
}

func (g *generator) namespaceRows() ([]row, error) {
	var rows []row
	for _, n := range g.namespaces {
		if strings.Contains(n.Description, `\`) {
			return nil, fmt.Errorf("namespace %s: a backslash in the description", n.Namespace)
		}
		rows = append(rows, row{
			what: "namespace " + n.Namespace,
			identity: fmt.Sprintf("('%s', '%s', '%s', '%s')", n.Namespace, n.NamespaceID, n.CandidateSchema,
				strings.ReplaceAll(n.Description, "'", "''")),
		})
	}
	return rows, nil
}

func migrationText(schemas, namespaces []row) (string, error) {
	var text strings.Builder
	text.WriteString(`-- Registers schemas of wire objects, and namespaces of derived identifiers. Written by make generate, not by hand.
-- Locks: none that anybody waits for, rows are only added. Duration: milliseconds.
set local lock_timeout = '5s';
set local search_path = pg_catalog, pg_temp;
set local role outbox_owner;
`)
	insert(&text, "contracts.schemas (schema, document, resolved, quick_check)", schemas)
	insert(&text, "contracts.namespaces (namespace, namespace_id, candidate_schema, description)", namespaces)
	text.WriteString("\nreset role;\n")
	if strings.Contains(text.String(), "{{") {
		return "", errors.New("a schema or namespace holds {{, which tern would take for a template")
	}
	return text.String(), nil
}

func insert(text *strings.Builder, into string, rows []row) {
	for i, r := range rows {
		if i == 0 {
			fmt.Fprintf(text, "\ninsert into %s\nvalues\n", into)
		}
		end := ",\n"
		if i == len(rows)-1 {
			end = ";\n"
		}
		text.WriteString(r.text() + end)
	}
}
