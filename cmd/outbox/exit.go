package main

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/internal/migrate"
	"github.com/oceanway/outbox/internal/pgerr"
)

// The exit statuses of the command. They are part of its interface.
const (
	exitOK          = 0
	exitFailure     = 1 // anything else, findings of verify among them
	exitUsage       = 2 // wrong arguments or configuration
	exitUnreachable = 3 // the database cannot be reached or takes no writes
	exitNotMigrated = 4 // the schema is missing or older than this binary
	exitTooNew      = 5 // the schema is newer than this binary
	exitPermission  = 6 // a role, login or privilege is missing
	exitRefused     = 7 // the database refused, with a code of class OX
)

// usageError is a mistake in the command line or the configuration.
type usageError struct{ cause error }

func (e *usageError) Error() string { return e.cause.Error() }
func (e *usageError) Unwrap() error { return e.cause }

// usage marks err, which may be nil, as a mistake in the command line or the configuration.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{cause: err}
}

// usagef is fmt.Errorf for mistakes in the command line or the configuration.
func usagef(format string, values ...any) error {
	return usage(fmt.Errorf(format, values...))
}

// withGrant adds to a privilege that is missing which role gives it.
func withGrant(err error, role, login string) error {
	if !errors.Is(err, pgerr.ErrPermission) {
		return err
	}
	return fmt.Errorf("%w; hint: grant %s to %s", err, role, pgx.Identifier{login}.Sanitize())
}

// exitStatus chooses the exit status for the error of a command.
func exitStatus(err error) int {
	err = pgerr.Translate(err)
	if _, misuse := errors.AsType[*usageError](err); misuse {
		return exitUsage
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, migrate.ErrTooNew):
		return exitTooNew
	case errors.Is(err, migrate.ErrNotMigrated), errors.Is(err, migrate.ErrOutdated):
		return exitNotMigrated
	case errors.Is(err, migrate.ErrRoleMissing), errors.Is(err, pgerr.ErrPermission):
		return exitPermission
	case errors.Is(err, pgerr.ErrRefused):
		return exitRefused
	case errors.Is(err, pgerr.ErrUnavailable), errors.Is(err, pgerr.ErrReadOnly):
		return exitUnreachable
	case errors.Is(err, pgerr.ErrMissingObject):
		return exitNotMigrated
	}
	return exitFailure
}
