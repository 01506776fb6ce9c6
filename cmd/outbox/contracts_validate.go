package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/contracts"
)

func newContractsValidateCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate SCHEMA DOCUMENT",
		Short: "Judge a document by a schema",
		Long: `validate judges a document as contracts.validate in the database does, and prints
one line for each rule that it breaks: JSON pointer, rule, sentence. It fails when
there is any. What only a database knows, such as which event types are
registered, it does not judge.

` + schemaHelp,
		Example: `  outbox contracts validate EventEnvelope@1 envelope.json
  outbox contracts validate --json ConsumerVerdict@1 - < answer.json`,
		Args: arguments(cobra.ExactArgs(2)),
		RunE: func(_ *cobra.Command, args []string) error {
			schemas, document, err := a.judging(args)
			if err != nil {
				return err
			}
			violations, err := schemas.Validate(args[0], document)
			if errors.Is(err, contracts.ErrUnknownSchema) {
				return unknownSchema(schemas, args[0])
			}
			if err != nil {
				return usage(err)
			}
			broken := make([]brokenRule, len(violations))
			for i, v := range violations {
				broken[i] = brokenRule(v)
			}
			return a.printRules("document", broken, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
