package testdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// insufficientPrivilege is PostgreSQL's SQLSTATE for a missing right.
const insufficientPrivilege = "42501"

// As opens a session of the admin user that has taken a role on. session_user stays the admin.
func (d *DB) As(t testing.TB, role string) *pgx.Conn {
	t.Helper()
	conn := d.Conn(t)
	if err := d.harness.assume(t.Context(), conn, role); err != nil {
		t.Fatal(err)
	}
	return conn
}

// Login opens a session of a new login user whose only right is membership of the roles.
func (d *DB) Login(t testing.TB, roles ...string) *pgx.Conn {
	t.Helper()
	return connect(t, d.LoginURL(t, roles...))
}

// LoginPool is Login for a pool.
func (d *DB) LoginPool(t testing.TB, roles ...string) *pgxpool.Pool {
	t.Helper()
	return openPool(t, d.LoginURL(t, roles...))
}

// LoginURL makes a new login user that is a member of the roles, and returns its connection string. The user goes with
// the database.
func (d *DB) LoginURL(t testing.TB, roles ...string) string {
	t.Helper()
	name := fmt.Sprintf("%s_login_%d", d.harness.run, d.harness.count.Add(1))
	password := rand.Text()
	sql := fmt.Sprintf("create role %s login password '%s'", quote(name), password)
	if len(roles) > 0 {
		quoted := make([]string, len(roles))
		for i, role := range roles {
			quoted[i] = quote(role)
		}
		sql += " in role " + strings.Join(quoted, ", ")
	}
	if err := d.harness.alterRoles(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
	d.logins = append(d.logins, name)
	return d.harness.server.URLFor(d.Name, name, password)
}

// assume sets a role, and makes the admin a member of it first where it is no superuser.
func (h *harness) assume(ctx context.Context, conn *pgx.Conn, role string) error {
	sql := "set role " + quote(role)
	_, err := conn.Exec(ctx, sql)
	if hasCode(err, insufficientPrivilege) {
		if err := h.alterRoles(ctx, "grant "+quote(role)+" to current_user"); err != nil {
			return err
		}
		_, err = conn.Exec(ctx, sql)
	}
	if err != nil {
		return fmt.Errorf("assume role %s: %w", role, err)
	}
	return nil
}

func hasCode(err error, sqlstate string) bool {
	var report *pgconn.PgError
	return errors.As(err, &report) && report.Code == sqlstate
}
