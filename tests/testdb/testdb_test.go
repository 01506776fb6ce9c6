package testdb_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/internal/migrate"
	"github.com/oceanway/outbox/internal/pgserver"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

func TestMigratedDatabasePassesTheCheck(t *testing.T) {
	t.Parallel()
	conn := testdb.New(t).Conn(t)
	if _, err := migrate.Check(t.Context(), conn); err != nil {
		t.Error(err)
	}
	tap.IsEmpty(t, conn, "select from outbox.active_delivery_set where delivery_set_version is not null")
}

func TestActiveDatabaseHasTheFirstRelease(t *testing.T) {
	t.Parallel()
	conn := testdb.NewActive(t).As(t, "outbox_reader")
	tap.RowEq(t, conn, tap.Row{13}, "select count(*) from outbox.delivery_set_applicable_events")
	tap.RowEq(t, conn, tap.Row{14}, "select count(*) from outbox.delivery_set_members")
	tap.RowEq(t, conn, tap.Row{"2026-11-first-release"}, "select delivery_set_version from outbox.active_delivery_set")
}

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	one, other := testdb.NewEmpty(t), testdb.NewEmpty(t)
	tap.Exec(t, one.Conn(t), "create table here (x int)")
	tap.HasntTable(t, other.Conn(t), "public", "here")
	tap.RowEq(t, other.Pool(t), tap.Row{other.Name, "UTF8"}, "select current_database()::text, current_setting('server_encoding')")
}

func TestSessionTakesARole(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	tap.RowEq(t, d.As(t, "outbox_producer"), tap.Row{"outbox_producer", true}, "select current_user::text, session_user <> current_user")
}

func TestLoginIsAMemberAndNoMore(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	login := d.Login(t, "outbox_producer", "outbox_reader")
	tap.RowEq(t, login, tap.Row{true, true, false}, `
		select pg_has_role(current_user, 'outbox_producer', 'usage'), session_user = current_user,
			pg_has_role(current_user, 'outbox_owner', 'member')`)
	tap.RowEq(t, d.LoginPool(t), tap.Row{false}, "select pg_has_role(current_user, 'outbox_producer', 'usage')")
}

func TestDatabaseAndLoginGoWithTheTest(t *testing.T) {
	t.Parallel()
	var name, user string
	t.Run("inner", func(t *testing.T) {
		d := testdb.NewEmpty(t)
		name = d.Name
		user = tap.Value[string](t, d.Login(t), "select current_user::text")
	})
	conn := testdb.NewEmpty(t).Conn(t)
	tap.IsEmpty(t, conn, "select from pg_database where datname = $1", name)
	tap.IsEmpty(t, conn, "select from pg_roles where rolname = $1", user)
}

func TestBlockedSessionIsSeen(t *testing.T) {
	t.Parallel()
	d := testdb.NewEmpty(t)
	holder, waiting := d.Conn(t), d.Conn(t)
	tap.Exec(t, holder, "select pg_advisory_lock(1)")
	done := make(chan error, 1)
	go func() {
		_, err := waiting.Exec(context.WithoutCancel(t.Context()), "select pg_advisory_lock(1)")
		done <- err
	}()
	d.AwaitBlocked(t, waiting, holder)
	tap.Exec(t, holder, "select pg_advisory_unlock(1)")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// envInner makes a test of this binary run for real when another test starts the binary again.
const envInner = "OUTBOX_TESTDB_TEST_INNER"

func TestInnerFails(t *testing.T) {
	if os.Getenv(envInner) == "" {
		t.Skip("run by another test")
	}
	tap.Exec(t, testdb.NewEmpty(t).Conn(t), "create table evidence (x int)")
	t.Fail()
}

// runInner runs one test of this binary in a process of its own.
func runInner(t *testing.T, test string, env ...string) (output string, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), envInner+"=1"), env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return said.String(), cmd.ProcessState.ExitCode()
}

func TestFailedTestNamesItsDatabase(t *testing.T) {
	t.Parallel()
	said, status := runInner(t, "TestInnerFails", testdb.EnvKeep+"=")
	if status != 1 || !strings.Contains(said, "database was postgres") {
		t.Errorf("status %d, said: %s", status, said)
	}
}

func TestFailedTestKeepsItsDatabase(t *testing.T) {
	t.Parallel()
	said, status := runInner(t, "TestInnerFails", testdb.EnvKeep+"=1")
	kept := regexp.MustCompile(`database kept: (\S+)`).FindStringSubmatch(said)
	if status != 1 || kept == nil {
		t.Fatalf("status %d, said: %s", status, said)
	}
	conn, err := pgx.Connect(t.Context(), kept[1])
	if err != nil {
		t.Fatal(err)
	}
	tap.HasTable(t, conn, "public", "evidence")
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
	end := regexp.MustCompile(`\(end it: (.*)\)`).FindStringSubmatch(said)
	if end == nil {
		t.Fatalf("does not say how to end the server: %s", said)
	}
	if out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", end[1]).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", end[1], err, out)
	}
}

func TestUnprivilegedAdminIsEnough(t *testing.T) {
	t.Parallel()
	if !testdb.Server(t).Private() {
		t.Skip("needs a server of its own, where no role exists yet")
	}
	server, err := pgserver.Start(t.Context(), pgserver.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	conn, err := pgx.Connect(t.Context(), server.URL(server.AdminDatabase()))
	if err != nil {
		t.Fatal(err)
	}
	tap.Exec(t, conn, "create role clerk login createdb createrole password 'clerk'")
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	said, status := runInner(t, "Test(Migrated|Active|Session|Login|DatabaseAnd).*", pgserver.EnvServer+"=url",
		pgserver.EnvURL+"="+server.URLFor("postgres", "clerk", "clerk"))
	if status != 0 || strings.Contains(said, "SKIP") {
		t.Errorf("status %d, said: %s", status, said)
	}
}

func TestNoServerIsOneSentence(t *testing.T) {
	t.Parallel()
	said, status := runInner(t, "TestDatabasesAreApart", pgserver.EnvServer+"=local", pgserver.EnvBinDir+"=/nonexistent")
	if status != 1 || strings.Count(said, "\n") != 1 || !strings.Contains(said, "/nonexistent") {
		t.Errorf("status %d, said: %s", status, said)
	}
}
