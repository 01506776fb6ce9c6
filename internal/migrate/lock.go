package migrate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/internal/pgerr"
)

const (
	// ternLock is the key of the advisory lock that every tern takes, so that a stock binary and
	// this one exclude each other. It is re-entrant: tern takes it again in the same session.
	ternLock = int64(9628173550095224)

	// lockPoll is the pause between two looks at the lock.
	lockPoll = 100 * time.Millisecond

	// unlockTime bounds the release of the lock after ctx has been cancelled.
	unlockTime = 5 * time.Second

	// retryPause and retries bound the repetition of a race. Each loser of a race finds the
	// winner's work the next time, so a few rounds are enough.
	retryPause = 100 * time.Millisecond
	retries    = 20
)

// lock waits for tern's advisory lock without holding a snapshot: a session that waits inside
// pg_advisory_lock would block a `create index concurrently` of the one that has the lock. It calls
// onWait, which may be nil, once when another session has the lock. From then on until unlock the
// session's settings are the migrations'.
func lock(ctx context.Context, conn *pgx.Conn, onWait func()) (unlock func() error, err error) {
	for waiting := false; ; waiting = true {
		var locked bool
		err := conn.QueryRow(ctx, "select pg_catalog.pg_try_advisory_lock($1)", ternLock).Scan(&locked)
		if err != nil {
			return nil, fmt.Errorf("lock the migrations: %w", pgerr.Translate(err))
		}
		if locked {
			if err := pin(ctx, conn); err != nil {
				return nil, errors.Join(err, release(ctx, conn))
			}
			return func() error { return release(ctx, conn) }, nil
		}
		if !waiting && onWait != nil {
			onWait()
		}
		if err := pause(ctx, lockPoll); err != nil {
			return nil, fmt.Errorf("wait for another migration: %w", err)
		}
	}
}

// pin sets what the meaning of a migration depends on: a name without a schema is PostgreSQL's own,
// whatever the search path of the login. tern resets all settings after each migration, so this is
// repeated before the next one.
func pin(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `set search_path = pg_catalog, pg_temp;
set client_encoding = 'UTF8';
set standard_conforming_strings = on;
set transform_null_equals = off`)
	if err != nil {
		return fmt.Errorf("set what the migrations rely on: %w", pgerr.Translate(err))
	}
	return nil
}

// release gives the lock back, also when ctx was cancelled meanwhile. A closed connection has given
// it back already.
func release(ctx context.Context, conn *pgx.Conn) error {
	if conn.IsClosed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTime)
	defer cancel()
	_, err := conn.Exec(ctx, "reset all")
	if err == nil {
		_, err = conn.Exec(ctx, "select pg_catalog.pg_advisory_unlock($1)", ternLock)
	}
	if err != nil {
		return fmt.Errorf("unlock the migrations: %w", pgerr.Translate(err))
	}
	return nil
}

// retry runs do again while it loses a race that another process has won.
func retry(ctx context.Context, do func() error) error {
	for round := 1; ; round++ {
		err := do()
		if err == nil || round == retries || !lostRace(err) {
			return err
		}
		if err := pause(ctx, retryPause); err != nil {
			return err
		}
	}
}

// lostRace recognises what PostgreSQL reports when two sessions create, grant or alter the same
// thing at once. Roles are shared by every database of the cluster, so no lock of one database
// keeps two installations apart.
func lostRace(err error) bool {
	if errors.Is(err, pgerr.ErrSerialization) {
		return true
	}
	report, ok := errors.AsType[*pgerr.Error](err)
	if !ok {
		return false
	}
	switch report.SQLState {
	case "42710", // duplicate_object: the role appeared meanwhile
		"42P06", "42P07", // duplicate_schema, duplicate_table
		"XX000": // tuple concurrently updated (or deleted): two grants on one object
		return report.SQLState != "XX000" || report.Message == "tuple concurrently updated" ||
			report.Message == "tuple concurrently deleted"
	case "23505": // unique_violation in a catalog: the row appeared between look and insert
		return catalogIndex(report.Invariant)
	}
	return false
}

// catalogIndex tells the system catalogs' unique indexes from those of tables.
func catalogIndex(name string) bool {
	switch name {
	case "pg_authid_rolname_index", "pg_auth_members_role_member_index",
		"pg_auth_members_grantor_index", "pg_auth_members_role_member_grantor_index",
		"pg_namespace_nspname_index", "pg_type_typname_nsp_index", "pg_class_relname_nsp_index",
		"pg_proc_proname_args_nsp_index", "pg_db_role_setting_databaseid_rol_index":
		return true
	}
	return false
}

// pause waits for d or for the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
