package main

import (
	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/contracts"
)

func newContractsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contracts",
		Short: "List, show and try the schemas of the wire objects, and add your own",
		Long: `The objects that travel between producers, the database, the dispatcher and the
consumers are closed: a schema states every member, and most objects carry a
digest of themselves. These commands use the schemas that this binary carries,
which are those that its migrations register in contracts.schemas. They need no
database.`,
		Example: `  outbox contracts list
  outbox contracts show EventEnvelope@1
  outbox contracts validate EventEnvelope@1 envelope.json
  outbox contracts compile schemas > 007_catalogue_schemas.sql`,
	}
	onlySubcommands(cmd)
	cmd.AddCommand(
		newContractsListCommand(a),
		newContractsShowCommand(a),
		newContractsValidateCommand(a),
		newContractsDigestCommand(a),
		newContractsCompileCommand(a),
	)
	return cmd
}

// schemaHelp tells what the arguments of the commands below are.
const schemaHelp = `SCHEMA is a name with its version, as outbox contracts list prints it. DOCUMENT
is a file, or - for standard input.`

// registry loads the schemas of this binary.
func registry() (*contracts.Registry, error) {
	loaded, err := contracts.Load()
	if err != nil {
		return nil, usage(err)
	}
	return loaded, nil
}

// judging loads the schemas and the document that a command was given.
func (a *app) judging(args []string) (*contracts.Registry, []byte, error) {
	schemas, err := registry()
	if err != nil {
		return nil, nil, err
	}
	document, err := a.readDocument("document", args[1])
	return schemas, document, err
}
