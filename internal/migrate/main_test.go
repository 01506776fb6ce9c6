package migrate_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/internal/pgserver"
)

// server is one for the package: its tests are about databases that were never migrated, so they
// cannot use the migrated template of package testdb.
var server *pgserver.Server

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx := context.Background()
	started, err := pgserver.Start(ctx, pgserver.Options{NoSync: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer started.Close(ctx)
	server = started
	return m.Run()
}

var databases atomic.Int64

// newDatabase makes an empty database and gives its name.
func newDatabase(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("migrate_%d_%d", os.Getpid(), databases.Add(1))
	admin := connect(t, server.AdminDatabase())
	exec(t, admin, "create database "+name+" template template0 encoding 'UTF8'")
	t.Cleanup(func() {
		admin := connect(t, server.AdminDatabase())
		exec(t, admin, "drop database "+name+" with (force)")
		admin.Close(context.Background())
	})
	return name
}

// connect opens a session as the server's admin user.
func connect(t *testing.T, database string) *pgx.Conn {
	t.Helper()
	return connectTo(t, server.URL(database))
}

func connectTo(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%s: %v", strings.SplitN(sql, "\n", 2)[0], err)
	}
}

func value[T any](t *testing.T, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	var got T
	if err := conn.QueryRow(context.Background(), sql, args...).Scan(&got); err != nil {
		t.Fatalf("%s: %v", strings.SplitN(sql, "\n", 2)[0], err)
	}
	return got
}
