package main

import (
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func newDeliverySetValidateCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate DEFINITION",
		Short: "Let the database judge a definition without registering it",
		Long: `validate asks the database for every rule that a definition breaks, and prints
one line for each: JSON pointer, rule, sentence. Nothing is stored. It fails when
there is any.

` + sourceHelp,
		Example: `  outbox delivery-set validate definition.json
  outbox delivery-set validate --json - < definition.json`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			definition, err := a.readDefinition(args[0])
			if err != nil {
				return err
			}
			return a.session(cmd.Context(), func(conn *pgx.Conn) error {
				broken, err := definitionViolations(cmd.Context(), conn, definition)
				if err != nil {
					return err
				}
				return a.printRules(broken, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printRules prints the broken rules and fails when there is any.
func (a *app) printRules(broken []brokenRule, asJSON bool) error {
	if asJSON {
		if err := a.printJSON(map[string]any{"valid": len(broken) == 0, "violations": broken}); err != nil {
			return err
		}
	}
	for _, rule := range broken {
		if asJSON {
			break
		}
		path := rule.Path
		if path == "" {
			path = "/"
		}
		if err := a.printf("%s\t%s\t%s\n", path, rule.Rule, rule.Detail); err != nil {
			return err
		}
	}
	if len(broken) > 0 {
		return fmt.Errorf("the definition breaks %s", count(len(broken), "rule"))
	}
	if asJSON {
		return nil
	}
	return a.printf("valid\n")
}
