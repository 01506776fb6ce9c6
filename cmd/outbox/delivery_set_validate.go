package main

import (
	"errors"
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
			return a.session(cmd.Context(), "outbox_reader", func(conn *pgx.Conn) error {
				broken, err := definitionViolations(cmd.Context(), conn, definition)
				if err != nil {
					return err
				}
				return a.printRules("definition", broken, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printRules prints the rules that a document breaks and fails when there is any; what says for people what it is.
func (a *app) printRules(what string, broken []brokenRule, asJSON bool) error {
	if asJSON {
		return errors.Join(a.printJSON(struct {
			Valid      bool         `json:"valid"`
			Violations []brokenRule `json:"violations"`
		}{len(broken) == 0, broken}), rulesBroken(what, broken))
	}
	for _, rule := range broken {
		path := rule.Path
		if path == "" {
			path = "(whole document)"
		}
		if err := a.printf("%s\t%s\t%s\n", path, rule.Rule, rule.Detail); err != nil {
			return err
		}
	}
	if len(broken) > 0 {
		return rulesBroken(what, broken)
	}
	return a.printf("valid\n")
}

// rulesBroken is the error for a document that breaks rules.
func rulesBroken(what string, broken []brokenRule) error {
	if len(broken) == 0 {
		return nil
	}
	return fmt.Errorf("the %s breaks %s", what, count(len(broken), "rule"))
}
