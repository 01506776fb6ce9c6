package testdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/internal/pgserver"
)

// roleLock keeps test binaries that share a server from altering roles at the same moment, which PostgreSQL answers with
// "tuple concurrently updated". Advisory locks belong to a database; all binaries take this one in the admin database.
const roleLock = 7230114

// harness owns the server and the templates.
type harness struct {
	run      string // part of every name, so that binaries can share a server
	once     sync.Once
	failed   error
	server   *pgserver.Server
	admin    *pgxpool.Pool
	migrated template
	active   template
	count    atomic.Int64
	kept     atomic.Bool
}

// template is a database that is made once and cloned often.
type template struct {
	once   sync.Once
	name   string
	failed error
}

func newHarness() *harness {
	return &harness{run: "outbox_test_" + strings.ToLower(rand.Text()[:8])}
}

func (h *harness) start(ctx context.Context) error {
	h.once.Do(func() {
		if h.server, h.failed = pgserver.Start(ctx, serverOptions()); h.failed != nil {
			return
		}
		if h.admin, h.failed = pgxpool.New(ctx, h.server.URL(h.server.AdminDatabase())); h.failed != nil {
			h.failed = fmt.Errorf("connect to the server: %w", h.failed)
		}
	})
	return h.failed
}

// template makes a database on first use and names it from then on.
func (h *harness) template(ctx context.Context, t *template, suffix, parent string, fill func(context.Context, *pgx.Conn) error) (string, error) {
	t.once.Do(func() {
		t.name = h.run + suffix
		t.failed = h.fill(ctx, t.name, parent, fill)
	})
	return t.name, t.failed
}

func (h *harness) fill(ctx context.Context, name, parent string, fill func(context.Context, *pgx.Conn) error) error {
	if err := h.create(ctx, name, parent); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, h.server.URL(name))
	if err != nil {
		return fmt.Errorf("connect to template %s: %w", name, err)
	}
	return errors.Join(fill(ctx, conn), conn.Close(ctx))
}

// create clones a database. template0 is the empty one, in the encoding that the product wants.
func (h *harness) create(ctx context.Context, name, parent string) error {
	sql := "create database " + quote(name) + " template " + quote(parent) + " strategy file_copy"
	if parent == "template0" {
		sql += " encoding 'UTF8'"
	}
	if _, err := h.admin.Exec(ctx, sql); err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

// drop removes a database and the sessions that are left in it. An admin who may not end the sessions of others waits
// for them, as PostgreSQL does for some seconds by itself.
func (h *harness) drop(ctx context.Context, name string) error {
	sql := "drop database if exists " + quote(name)
	_, err := h.admin.Exec(ctx, sql+" with (force)")
	if hasCode(err, insufficientPrivilege) {
		_, err = h.admin.Exec(ctx, sql)
	}
	if err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

// alterRoles runs statements about roles, which every database of the server shares.
func (h *harness) alterRoles(ctx context.Context, statements ...string) error {
	return pgx.BeginFunc(ctx, h.admin, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock($1)", roleLock); err != nil {
			return fmt.Errorf("lock the roles: %w", err)
		}
		for _, sql := range statements {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return fmt.Errorf("alter roles: %w", err)
			}
		}
		return nil
	})
}

// close drops the templates of a server that goes on, and stops a private one unless it holds a kept database.
func (h *harness) close(ctx context.Context) error {
	if h.server == nil {
		return nil
	}
	var errs []error
	if !h.server.Private() && h.admin != nil {
		for _, name := range []string{h.migrated.name, h.active.name} {
			if name != "" {
				errs = append(errs, h.drop(ctx, name))
			}
		}
	}
	if h.admin != nil {
		h.admin.Close()
	}
	if h.kept.Load() {
		fmt.Fprintln(os.Stderr, "kept:", h.server.Describe())
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, h.server.Close(ctx))...)
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
