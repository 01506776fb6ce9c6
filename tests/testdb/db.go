package testdb

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// cleanupTimeout bounds what a test does after its end.
const cleanupTimeout = 30 * time.Second

// maxSlug keeps database names within PostgreSQL's 63 bytes.
const maxSlug = 32

// DB is the database of one test.
type DB struct {
	// URL is the connection string of the admin user.
	URL string
	// Name is the database's name on the server.
	Name string

	harness *harness
	logins  []string
}

// New returns a migrated database without any delivery set.
func New(t testing.TB) *DB {
	t.Helper()
	h := start(t)
	parent, err := h.migratedTemplate(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return h.database(t, parent)
}

// NewActive returns a migrated database in which the first release's delivery set is registered and active.
func NewActive(t testing.TB) *DB {
	t.Helper()
	h := start(t)
	parent, err := h.activeTemplate(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return h.database(t, parent)
}

// NewEmpty returns a database that was never migrated.
func NewEmpty(t testing.TB) *DB {
	t.Helper()
	return start(t).database(t, "template0")
}

func (h *harness) database(t testing.TB, parent string) *DB {
	t.Helper()
	name := fmt.Sprintf("%s_%d_%s", h.run, h.count.Add(1), slug(t.Name()))
	if err := h.create(t.Context(), name, parent); err != nil {
		t.Fatal(err)
	}
	d := &DB{URL: h.server.URL(name), Name: name, harness: h}
	t.Cleanup(func() { d.end(t) })
	return d
}

// slug makes a test's name fit for a database name.
func slug(name string) string {
	text := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(strings.TrimPrefix(name, "Test")))
	return text[:min(len(text), maxSlug)]
}

// end drops the database and the logins made for it, or keeps them for a person to look at.
func (d *DB) end(t testing.TB) {
	t.Helper()
	if t.Failed() {
		shown := d.harness.server.DisplayURL(d.Name)
		if keep() {
			d.harness.kept.Store(true)
			t.Logf("database kept: %s", shown)
			return
		}
		t.Logf("database was %s (%s=1 keeps it)", shown, EnvKeep)
	}
	ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
	defer cancel()
	if err := d.harness.drop(ctx, d.Name); err != nil {
		t.Error(err)
		return
	}
	for _, login := range d.logins {
		if err := d.harness.alterRoles(ctx, "drop role if exists "+quote(login)); err != nil {
			t.Error(err)
		}
	}
}

// Conn opens a session of the admin user.
func (d *DB) Conn(t testing.TB) *pgx.Conn {
	t.Helper()
	return connect(t, d.URL)
}

// Pool opens a pool of the admin user.
func (d *DB) Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	return openPool(t, d.URL)
}

// IsSuperuser tells whether the admin user is one, as on every private server.
func (d *DB) IsSuperuser(t testing.TB) bool {
	t.Helper()
	var super bool
	sql := "select rolsuper from pg_roles where rolname = current_user"
	if err := d.harness.admin.QueryRow(t.Context(), sql).Scan(&super); err != nil {
		t.Fatal(err)
	}
	return super
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
		defer cancel()
		_ = conn.Close(ctx) // a test may have ended the session in its own way
	})
	return conn
}

func openPool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}
