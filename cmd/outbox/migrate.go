package main

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/internal/migrate"
	outboxsql "github.com/oceanway/outbox/sql"
)

func newMigrateCommand(a *app) *cobra.Command {
	var roles, printRoles bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Create the roles or bring the database schema up to date",
		Long: `migrate applies the migrations that the database lacks, each in a transaction of
its own, and says which. With nothing to do it says so and changes nothing.

Any number of processes may run it at the same time: one works, the others say
that they wait, and then find nothing to do. It holds a lock of its session, so
connect to the server itself, not through a transaction pooler.

The roles belong to the cluster and come first, in a step of their own:
--roles creates those that are missing, needs CREATEROLE, and may be repeated;
--print-roles prints the same SQL for an administrator to read and run. A login
that migrates without being a superuser runs --roles too, so that it becomes a
member of outbox_owner.

The stock tern binary applies the same files; see sql/migrations/tern.conf.`,
		Example: `  outbox migrate --print-roles | less
  outbox migrate --roles
  outbox migrate`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printRoles {
				return a.printf("%s", outboxsql.Roles())
			}
			return a.bareSession(cmd.Context(), func(conn *pgx.Conn) error {
				if roles {
					return a.createRoles(cmd, conn)
				}
				return a.migrateUp(cmd, conn)
			})
		},
	}
	cmd.Flags().BoolVar(&roles, "roles", false, "create the roles of the cluster, and nothing else")
	cmd.Flags().BoolVar(&printRoles, "print-roles", false, "print the SQL that --roles runs; needs no database")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if roles && printRoles {
			return usagef("--roles and --print-roles exclude each other")
		}
		return nil
	}
	return cmd
}

func (a *app) createRoles(cmd *cobra.Command, conn *pgx.Conn) error {
	if err := migrate.Roles(cmd.Context(), conn); err != nil {
		return err
	}
	return a.printf("roles are in place\n")
}

func (a *app) migrateUp(cmd *cobra.Command, conn *pgx.Conn) error {
	applied := 0
	var unwritten error // the migrations go on; that nobody read of it is said at the end
	err := migrate.Progress{
		Waits: func() {
			unwritten = errors.Join(unwritten, a.printf("another migration holds the lock, waiting for it\n"))
		},
		Starts: func(_ int32, name string) {
			applied++
			unwritten = errors.Join(unwritten, a.printf("applying %s\n", name))
		},
	}.Up(cmd.Context(), conn)
	if err = errors.Join(err, unwritten); err != nil {
		return err
	}
	status, err := migrate.Check(cmd.Context(), conn)
	if err != nil {
		return err
	}
	if applied == 0 {
		return a.printf("nothing to do, schema is at %d\n", status.Version)
	}
	return a.printf("schema is at %d\n", status.Version)
}
