package main

import "github.com/spf13/cobra"

func newResumeCommand(a *app) *cobra.Command {
	return newSwitchCommand(a, &cobra.Command{
		Use:   "resume DESTINATION --reason TEXT",
		Short: "Claim deliveries of a paused destination again",
		Long: `resume ends a pause. What was appended meanwhile is delivered in the usual order.
The database records who resumed it, when and why. It needs the role
outbox_operator.`,
		Example: `  outbox resume core_operations --reason 'INC-71: projector is back'`,
	}, resumeDestination, "resumed")
}
