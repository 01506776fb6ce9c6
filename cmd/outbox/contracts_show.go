package main

import (
	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/contracts"
)

func newContractsShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show SCHEMA",
		Short: "Print a schema",
		Long: `show prints a schema as it was written: JSON Schema 2020-12 with the keywords
that docs/contracts.md explains.`,
		Example: `  outbox contracts show DeliverySetDefinition@1
  outbox contracts show CommonTypes@1`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			schemas, err := registry()
			if err != nil {
				return err
			}
			source, ok := schemas.Schema(args[0])
			if !ok {
				return unknownSchema(schemas, args[0])
			}
			return a.printf("%s", source)
		},
	}
}

// unknownSchema is the error for a name that no schema has, or that no document can have.
func unknownSchema(schemas *contracts.Registry, name string) error {
	if _, ok := schemas.Schema(name); ok {
		return usagef("%s describes no document: it holds definitions for other schemas", name)
	}
	return usagef("%w: %q; outbox contracts list prints them", contracts.ErrUnknownSchema, name)
}
