package migrate

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/tern/v2/migrate"

	"github.com/oceanway/outbox/internal/pgerr"
	outboxsql "github.com/oceanway/outbox/sql"
)

// VersionTable holds the number of the last migration that was applied. It is not tern's default,
// which would collide with other users of tern in the same database.
const VersionTable = "public.outbox_schema_version"

// Roles creates the product's roles, or does nothing where they exist. The connection needs
// CREATEROLE.
func Roles(ctx context.Context, conn *pgx.Conn) error {
	return retry(ctx, func() error {
		if _, err := conn.Exec(ctx, outboxsql.Roles()); err != nil {
			return fmt.Errorf("create roles: %w", pgerr.Translate(err))
		}
		return nil
	})
}

// Progress hears what a run of the migrations does. Each function may be nil.
type Progress struct {
	// Waits is called when another session holds the lock of the migrations, before waiting for it.
	Waits func()
	// Starts is called before each migration.
	Starts func(seq int32, name string)
}

// Up applies the migrations that are missing, each in its own transaction, and calls onStart (which
// may be nil) before each of them. It fails with ErrRoleMissing before it has changed anything when
// the roles were not created, and with ErrTooNew when the schema belongs to a later release.
func Up(ctx context.Context, conn *pgx.Conn, onStart func(seq int32, name string)) error {
	return Progress{Starts: onStart}.Up(ctx, conn)
}

// Up is the function Up, reporting to p.
func (p Progress) Up(ctx context.Context, conn *pgx.Conn) error {
	return retry(ctx, func() error { return p.up(ctx, conn) })
}

func (p Progress) up(ctx context.Context, conn *pgx.Conn) (err error) {
	if err := requireRoles(ctx, conn); err != nil {
		return err
	}
	unlock, err := lock(ctx, conn, p.Waits)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	migrator, err := newMigrator(ctx, conn)
	if err != nil {
		return err
	}
	status := Status{Wanted: lastSequence(migrator)}
	if status.Version, err = migrator.GetCurrentVersion(ctx); err != nil {
		if err = unreadable(err); errors.Is(err, pgerr.ErrPermission) {
			return fmt.Errorf("%w; hint: members of outbox_owner migrate, and `outbox migrate --roles` makes one", err)
		}
		return err
	}
	if status.Version > status.Wanted {
		return status.tooNew()
	}
	var unpinned error
	migrator.OnStart = func(seq int32, name, _, _ string) {
		unpinned = errors.Join(unpinned, pin(ctx, conn))
		if p.Starts != nil {
			p.Starts(seq, name)
		}
	}
	return errors.Join(unpinned, describe(migrator.Migrate(ctx)))
}

// Install replaces the functions, triggers and grants of the database by the working copy that this
// binary carries. Releases do not need it: their last migration installs the same.
func Install(ctx context.Context, conn *pgx.Conn) error {
	code, err := migrate.LoadCodePackage(outboxsql.Code())
	if err != nil {
		return fmt.Errorf("load the code package: %w", err)
	}
	return retry(ctx, func() (err error) {
		unlock, err := lock(ctx, conn, nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, unlock()) }()
		return describe(migrate.InstallCodePackage(ctx, conn, nil, code))
	})
}

// newMigrator loads the embedded migrations and creates the version table where it is missing.
func newMigrator(ctx context.Context, conn *pgx.Conn) (*migrate.Migrator, error) {
	migrator, err := migrate.NewMigrator(ctx, conn, VersionTable)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", VersionTable, pgerr.Translate(err))
	}
	if err := migrator.LoadMigrations(outboxsql.Migrations()); err != nil {
		return nil, fmt.Errorf("load the migrations: %w", err)
	}
	return migrator, nil
}

// lastSequence is the number of the newest migration of this binary.
func lastSequence(migrator *migrate.Migrator) int32 {
	return int32(len(migrator.Migrations)) // tern allows no gap, and the number of files is small
}

// describe names the migration that failed.
func describe(err error) error {
	if err == nil {
		return nil
	}
	if failed, ok := errors.AsType[migrate.MigrationPgError](err); ok && failed.MigrationName != "" {
		return fmt.Errorf("migration %s: %w", failed.MigrationName, pgerr.Translate(failed.PgError))
	}
	return fmt.Errorf("migrate: %w", pgerr.Translate(err))
}
