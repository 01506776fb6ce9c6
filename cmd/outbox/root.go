package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/internal/pgerr"
)

// execute runs the command line and gives the exit status. An error is one line on standard error.
func execute(ctx context.Context, a *app, args []string) int {
	root := newRootCommand(a)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		line := strings.Join(strings.Fields(pgerr.Translate(err).Error()), " ")
		fmt.Fprintln(a.stderr, "outbox: "+line)
	}
	return exitStatus(err)
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "outbox",
		Short: "A transactional outbox in PostgreSQL",
		Long: `outbox installs, checks and runs a transactional outbox in PostgreSQL.

The database decides: every command calls its functions or shows its views, and
reports a refusal with SQLSTATE, invariant, detail and hint in one line.

Exit status: 0 done, 1 failed, 2 wrong usage or configuration, 3 database out of
reach, 4 schema missing or older than this binary, 5 schema newer, 6 role or
privilege missing, 7 refused by the database.`,
		Example: `  export OUTBOX_DATABASE_URL='postgres:///shop'
  outbox migrate --roles && outbox migrate
  outbox status`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.startLogging()
		},
	}
	onlySubcommands(root)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.CompletionOptions.HiddenDefaultCmd = true

	flags := root.PersistentFlags()
	flags.StringVar(&a.databaseURL, "database-url", "",
		"connection string; OUTBOX_DATABASE_URL keeps a password out of the process list")
	flags.StringVar(&a.logFormat, "log-format", "", "text or json (default text; OUTBOX_LOG_FORMAT)")
	flags.StringVar(&a.logLevel, "log-level", "", "debug, info, warn or error (default info; OUTBOX_LOG_LEVEL)")

	root.AddCommand(
		newMigrateCommand(a),
		newRunCommand(a),
		newStatusCommand(a),
		newDeliverySetCommand(a),
		newContractsCommand(a),
		newVerifyCommand(a),
		newPauseCommand(a),
		newResumeCommand(a),
		newVersionCommand(a),
	)
	return root
}

// onlySubcommands makes cmd print its help when it is called alone and refuse what is not one of
// its subcommands.
func onlySubcommands(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return usagef("unknown command %q for %q; did you mean %s?", args[0], cmd.CommandPath(), strings.Join(near, ", "))
		}
		return usagef("unknown command %q for %q; see %s --help", args[0], cmd.CommandPath(), cmd.CommandPath())
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// arguments makes a mistake in the number of arguments a usage error that says what is wanted.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%w; usage: %s", err, cmd.UseLine())
		}
		return nil
	}
}

// noArguments refuses every argument.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, but was given %q", cmd.CommandPath(), args[0])
	}
	return nil
}
