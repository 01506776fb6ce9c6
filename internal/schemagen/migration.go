package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oceanway/outbox/internal/schema/registration"
)

const (
	schemasSuffix    = "_contract_schemas.sql"
	purpose          = "Registers schemas of wire objects, and namespaces of derived identifiers. Written by make generate, not by hand."
	namespaceColumns = "contracts.namespaces (namespace, namespace_id, candidate_schema, description)"
)

// migration writes the rows that no released migration holds.
func (g *generator) migration() error {
	schemas, err := registration.Schemas(g.schemas)
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
	text, err := registration.Migration(purpose,
		registration.Table{Into: registration.SchemaColumns, Rows: schemas},
		registration.Table{Into: namespaceColumns, Rows: namespaces})
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

func (g *generator) namespaceRows() ([]registration.Row, error) {
	var rows []registration.Row
	for _, n := range g.namespaces {
		if strings.Contains(n.Description, `\`) {
			return nil, fmt.Errorf("namespace %s: a backslash in the description", n.Namespace)
		}
		rows = append(rows, registration.Row{
			What: "namespace " + n.Namespace,
			Identity: fmt.Sprintf("('%s', '%s', '%s', '%s')", n.Namespace, n.NamespaceID, n.CandidateSchema,
				strings.ReplaceAll(n.Description, "'", "''")),
		})
	}
	return rows, nil
}
