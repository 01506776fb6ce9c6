package migrate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/tern/v2/migrate"

	"github.com/oceanway/outbox/internal/pgerr"
	outboxsql "github.com/oceanway/outbox/sql"
)

// What Check and Up find wrong. The errors that match them say what to do.
var (
	ErrNotMigrated = errors.New("the database is not migrated")
	ErrOutdated    = errors.New("the database schema is older than this binary")
	ErrTooNew      = errors.New("the database schema is newer than this binary")
	ErrRoleMissing = errors.New("a role of the outbox is missing")
)

// Querier is what Check needs of a connection, pool or transaction.
type Querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Status is the state of a database's schema.
type Status struct {
	// Version is the last migration that was applied, 0 for none.
	Version int32 `json:"version"`
	// Wanted is the last migration that this binary knows.
	Wanted int32 `json:"wanted"`
	// MissingRoles are the product's roles that the cluster does not have.
	MissingRoles []string `json:"missingRoles,omitempty"`
}

func (s Status) tooNew() error {
	return fmt.Errorf("%w: it is at %d, this binary knows %d; use the release that migrated it, or a later one",
		ErrTooNew, s.Version, s.Wanted)
}

func (s Status) outdated() error {
	return fmt.Errorf("%w: it is at %d, this binary needs %d; run `outbox migrate`", ErrOutdated, s.Version, s.Wanted)
}

func (s Status) roleMissing() error {
	return fmt.Errorf("%w: %s; run `outbox migrate --roles` as a role with CREATEROLE",
		ErrRoleMissing, strings.Join(s.MissingRoles, ", "))
}

// roles are those that roles.sql creates.
func roles() []string {
	return []string{
		"outbox_owner", "outbox_producer", "outbox_dispatcher", "outbox_consumer",
		"outbox_governor", "outbox_operator", "outbox_reader", "outbox_payload_reader",
	}
}

// Check compares the schema of the database with what this binary needs. It gives the status also
// with an error that matches ErrNotMigrated, ErrOutdated, ErrTooNew or ErrRoleMissing.
func Check(ctx context.Context, q Querier) (Status, error) {
	wanted, err := Wanted()
	if err != nil {
		return Status{}, err
	}
	status := Status{Wanted: wanted}
	if status.MissingRoles, err = missingRoles(ctx, q); err != nil {
		return status, err
	}
	exists, err := versionTableExists(ctx, q)
	if err != nil {
		return status, err
	}
	if !exists {
		return status, fmt.Errorf("%w; run `outbox migrate`", ErrNotMigrated)
	}
	err = q.QueryRow(ctx, "select version from "+VersionTable).Scan(&status.Version)
	if err != nil {
		return status, unreadable(err)
	}
	switch {
	case status.Version == 0:
		return status, fmt.Errorf("%w; run `outbox migrate`", ErrNotMigrated)
	case status.Version < status.Wanted:
		return status, status.outdated()
	case status.Version > status.Wanted:
		return status, status.tooNew()
	case len(status.MissingRoles) > 0:
		return status, status.roleMissing()
	}
	return status, nil
}

// unreadable says why the version cannot be read. Every role of the outbox may read it.
func unreadable(err error) error {
	err = fmt.Errorf("read %s: %w", VersionTable, pgerr.Translate(err))
	if errors.Is(err, pgerr.ErrPermission) {
		return fmt.Errorf("this login is in no role of the outbox: %w", err)
	}
	return err
}

// Wanted is the number of the last migration that this binary carries.
func Wanted() (int32, error) {
	files, err := migrate.FindMigrations(outboxsql.Migrations())
	if err != nil {
		return 0, fmt.Errorf("list the migrations: %w", err)
	}
	if len(files) == 0 {
		return 0, fmt.Errorf("list the migrations: %w", fs.ErrNotExist)
	}
	return int32(len(files)), nil
}

// versionTableExists asks the catalog, which needs no privilege on the table or its schema.
func versionTableExists(ctx context.Context, q Querier) (exists bool, err error) {
	schema, table, _ := strings.Cut(VersionTable, ".")
	err = q.QueryRow(ctx, `
		select exists (
			select from pg_catalog.pg_tables
			where schemaname operator(pg_catalog.=) $1::pg_catalog.text
				and tablename operator(pg_catalog.=) $2::pg_catalog.text
		)`, schema, table).Scan(&exists)
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", VersionTable, pgerr.Translate(err))
	}
	return exists, nil
}

// missingRoles asks the catalog which of the product's roles the cluster lacks.
func missingRoles(ctx context.Context, q Querier) (missing []string, err error) {
	err = q.QueryRow(ctx, `
		select pg_catalog.array_agg(wanted.name)
		from pg_catalog.unnest($1::pg_catalog.text[]) as wanted (name)
		where not exists (
			select from pg_catalog.pg_roles as present
			where present.rolname operator(pg_catalog.=) wanted.name::pg_catalog.name
		)`, roles()).Scan(&missing)
	if err != nil {
		return nil, fmt.Errorf("look for the roles: %w", pgerr.Translate(err))
	}
	return missing, nil
}

// requireRoles fails with ErrRoleMissing unless every role exists.
func requireRoles(ctx context.Context, q Querier) error {
	missing, err := missingRoles(ctx, q)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return Status{MissingRoles: missing}.roleMissing()
	}
	return nil
}
