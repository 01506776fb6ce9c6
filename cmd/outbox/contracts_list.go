package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/contracts"
)

// listedSchema is what outbox contracts list says of a schema.
type listedSchema struct {
	Schema      string `json:"schema"`
	Description string `json:"description"`
	SHA256      string `json:"sha256"` // of the canonical form of the schema itself
}

func newContractsListCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the schemas of this binary",
		Long: `list prints the name of each schema and what it describes. With --json it also
prints the SHA-256 of the schema's own canonical form, which tells two releases
apart.`,
		Example: `  outbox contracts list`,
		Args:    arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			schemas, err := registry()
			if err != nil {
				return err
			}
			listed, err := describeSchemas(schemas)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(listed)
			}
			return a.printTable(func(w io.Writer) {
				for _, s := range listed {
					fmt.Fprintf(w, "%s\t%s\n", s.Schema, s.Description)
				}
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func describeSchemas(schemas *contracts.Registry) ([]listedSchema, error) {
	names := schemas.Schemas()
	listed := make([]listedSchema, len(names))
	for i, name := range names {
		source, _ := schemas.Schema(name)
		listed[i].Schema = name
		if err := json.Unmarshal(source, &listed[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		canonical, err := contracts.Canonical(source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		sum := contracts.Sum(canonical)
		listed[i].SHA256 = hex.EncodeToString(sum[:])
	}
	return listed, nil
}
