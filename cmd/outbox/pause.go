package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

func newPauseCommand(a *app) *cobra.Command {
	return newSwitchCommand(a, &cobra.Command{
		Use:   "pause DESTINATION --reason TEXT",
		Short: "Stop claiming deliveries of a destination",
		Long: `pause makes every claim of a destination come back empty until it is resumed.
Events are still appended, and calls that are already under way still end as they
would. The database records who paused it, when and why. It needs the role
outbox_operator.`,
		Example: `  outbox pause core_operations --reason 'INC-71: projector is being restored'`,
	}, pauseDestination, "paused")
}

// newSwitchCommand completes a command that pauses or resumes a destination.
func newSwitchCommand(
	a *app, cmd *cobra.Command, change func(ctx context.Context, conn *pgx.Conn, destination, reason string) error, done string,
) *cobra.Command {
	var reason string
	cmd.Args = arguments(cobra.ExactArgs(1))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if reason == "" {
			return usagef("say why: --reason TEXT")
		}
		return a.session(cmd.Context(), "outbox_operator", func(conn *pgx.Conn) error {
			if err := change(cmd.Context(), conn, args[0], reason); err != nil {
				return err
			}
			return a.printf("%s %s\n", done, args[0])
		})
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the record (required)")
	return cmd
}
