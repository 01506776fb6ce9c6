package main

import (
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/contracts"
)

func newDeliverySetRegisterCommand(a *app) *cobra.Command {
	var release string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "register DEFINITION",
		Short: "Register a definition",
		Long: `register stores a definition for good. Registering the same one again is
harmless and says "identical"; another content under the same version is refused.
It needs the role outbox_governor.

` + sourceHelp,
		Example: `  outbox delivery-set register ` + exampleDefinition + `
  outbox delivery-set register --source-release 'billing 4.2' definition.json`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			definition, err := a.readDefinition(args[0])
			if err != nil {
				return err
			}
			if release == "" {
				self, err := readBuild()
				if err != nil {
					return err
				}
				release = "outbox " + self.Version
			}
			return a.session(cmd.Context(), "outbox_governor", func(conn *pgx.Conn) error {
				result, err := registerDeliverySet(cmd.Context(), conn, definition, release)
				if err != nil {
					return err
				}
				return a.printResult(result, definition, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&release, "source-release", "", "the release that brings the definition (default this binary's version)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printResult prints what the database did with a definition.
func (a *app) printResult(result string, definition []byte, asJSON bool) error {
	named, err := readIdentity(definition)
	if err != nil {
		return err
	}
	return a.printIdentity(result, named, asJSON)
}

// printIdentity prints what the database did with the definition of a quadruple.
func (a *app) printIdentity(result string, named identity, asJSON bool) error {
	if !asJSON {
		return a.printf("%s %s\n", result, describe(named.DefinitionIdentity))
	}
	return a.printJSON(struct {
		Result     string                       `json:"result"`
		Definition contracts.DefinitionIdentity `json:"definition"`
	}{result, named.DefinitionIdentity})
}
