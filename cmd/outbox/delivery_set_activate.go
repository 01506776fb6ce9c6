package main

import (
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func newDeliverySetActivateCommand(a *app) *cobra.Command {
	var wait time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "activate VERSION|DEFINITION",
		Short: "Make new events freeze a registered definition",
		Long: `activate moves the active pointer to a registered definition. Producers are never
kept waiting for long: the database tries in short rounds until it finds a gap, up
to --wait, and then refuses. Activating the active one again says
"already_active"; activating an older one again is allowed and recorded. It needs
the role outbox_governor.

A definition that is given as a file, as - or by the version of one that this
binary carries must be the registered one in every byte. Any other argument is the
version of a registered definition.`,
		Example: `  outbox delivery-set activate ` + exampleDefinition + `
  outbox delivery-set activate --wait 30s definition.json`,
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if wait < 0 {
				return usagef("--wait is %s: it cannot be negative", wait)
			}
			stated, atHand, err := a.statedIdentity(args[0])
			if err != nil {
				return err
			}
			return a.session(cmd.Context(), "outbox_governor", func(conn *pgx.Conn) error {
				if !atHand {
					if stated, err = registeredIdentity(cmd.Context(), conn, args[0]); err != nil {
						return err
					}
				}
				result, err := activateDeliverySet(cmd.Context(), conn, stated, wait)
				if err != nil {
					return err
				}
				return a.printIdentity(result, stated, asJSON)
			})
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", 5*time.Second, "how long to look for a gap between producers")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// statedIdentity reads the quadruple of a definition that is at hand. Otherwise the argument can only
// be the version of a registered one.
func (a *app) statedIdentity(source string) (stated identity, atHand bool, err error) {
	if _, carried := carriedDefinition(source); !carried && source != "-" {
		if _, err := os.Stat(source); err != nil {
			return identity{}, false, nil //nolint:nilerr // not a file, so a version
		}
	}
	definition, err := a.readDefinition(source)
	if err != nil {
		return identity{}, false, err
	}
	stated, err = readIdentity(definition)
	return stated, true, err
}
