package main

import "github.com/spf13/cobra"

func newDeliverySetCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delivery-set",
		Short: "Validate, register, activate and show delivery set definitions",
		Long: `A delivery set definition says which events exist and which consumer of which
destination each of them must reach. A definition is registered once and never
changes; activating it makes new events freeze it. Events that were appended
before keep the definition that they froze.`,
		Example: `  outbox delivery-set validate ` + exampleDefinition + `
  outbox delivery-set register ` + exampleDefinition + `
  outbox delivery-set activate ` + exampleDefinition,
	}
	onlySubcommands(cmd)
	cmd.AddCommand(
		newDeliverySetValidateCommand(a),
		newDeliverySetDigestCommand(a),
		newDeliverySetRegisterCommand(a),
		newDeliverySetActivateCommand(a),
		newDeliverySetShowCommand(a),
	)
	return cmd
}
