// Package cli runs the scripts of testdata against the built command and real databases. Besides the
// words of testscript a script has
//
//	database empty|migrated|active   a database of its own; OUTBOX_DATABASE_URL is its admin's
//	login [ROLE...]                  OUTBOX_DATABASE_URL becomes a new login's that is in the roles
//	defaults SETTING=VALUE...        settings that the last login's sessions begin with
//	migration begins|ends            another session takes the lock of the migrations, and gives it back once
//	                                 a command waits for it
//	exits STATUS PROGRAM ARG...      run a program that fails with exactly this status and one line
//	sql STATEMENT [VALUE]            run a statement as admin, and compare the one value it gives
//	statements FILE                  run the statements of a file, or of stdout, as admin in one transaction
package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/oceanway/outbox/tests/testdb"
)

// programs is the folder with the built command.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "outbox-cli-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	build := exec.CommandContext(context.Background(), "go", "build", "-o", folder, "../../cmd/outbox")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the command: %v\n%s", err, out)
		return 1
	}
	programs = folder
	return testdb.Main(m)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata",
		RequireUniqueNames: true,
		Condition: func(name string) (bool, error) {
			if name != "superuser" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return testdb.Server(t).Private(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"database":   in((*session).database),
			"login":      in((*session).login),
			"defaults":   in((*session).defaults),
			"migration":  in((*session).migration),
			"exits":      in((*session).exits),
			"sql":        in((*session).sql),
			"statements": in((*session).statements),
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", programs+string(os.PathListSeparator)+env.Getenv("PATH"))
			test, ok := env.T().(testing.TB)
			if !ok {
				return errors.New("a script runs without its test")
			}
			env.Values[sessionKey{}] = &session{t: test}
			return nil
		},
	})
}

// session is what the commands of one script share.
type session struct {
	t         testing.TB
	db        *testdb.DB
	lastLogin string
	migrating *pgx.Conn
}

type sessionKey struct{}

// in makes a command of a method of the script's session.
func in(method func(s *session, ts *testscript.TestScript, neg bool, args []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		s, ok := ts.Value(sessionKey{}).(*session)
		if !ok {
			ts.Fatalf("the script has no session")
		}
		method(s, ts, neg, args)
	}
}

func (s *session) database(ts *testscript.TestScript, neg bool, args []string) {
	kinds := map[string]func(testing.TB) *testdb.DB{
		"empty": testdb.NewEmpty, "migrated": testdb.New, "active": testdb.NewActive,
	}
	if neg || len(args) != 1 || kinds[args[0]] == nil {
		ts.Fatalf("usage: database empty|migrated|active")
	}
	s.db = kinds[args[0]](s.t)
	ts.Setenv("OUTBOX_DATABASE_URL", s.db.URL)
}

func (s *session) login(ts *testscript.TestScript, neg bool, roles []string) {
	if neg {
		ts.Fatalf("usage: login [ROLE...]")
	}
	url := s.db.LoginURL(s.t, roles...)
	config, err := pgx.ParseConfig(url)
	ts.Check(err)
	s.lastLogin = config.User
	ts.Setenv("OUTBOX_DATABASE_URL", url)
}

func (s *session) defaults(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || s.lastLogin == "" {
		ts.Fatalf("usage, after login: defaults SETTING=VALUE...")
	}
	conn := s.db.Conn(s.t)
	defer conn.Close(s.t.Context())
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		value = "'" + strings.ReplaceAll(value, ", ", "', '") + "'"
		_, err := conn.Exec(s.t.Context(), fmt.Sprintf("alter role %s set %s to %s",
			pgx.Identifier{s.lastLogin}.Sanitize(), pgx.Identifier{name}.Sanitize(), value))
		ts.Check(err)
	}
}

func (s *session) migration(ts *testscript.TestScript, neg bool, args []string) {
	const lock = "9628173550095224"
	switch {
	case !neg && len(args) == 1 && args[0] == "begins":
		s.migrating = s.db.Conn(s.t)
		_, err := s.migrating.Exec(s.t.Context(), "select pg_advisory_lock("+lock+")")
		ts.Check(err)
	case !neg && len(args) == 1 && args[0] == "ends" && s.migrating != nil:
		testdb.Await(s.t, "a command that waits for the migration", func() bool {
			var waits bool
			ts.Check(s.migrating.QueryRow(s.t.Context(), `select count(*) > 0 from pg_stat_activity
				where datname = current_database() and application_name = 'outbox'
					and state = 'idle' and query like '%pg_try_advisory_lock%'`).Scan(&waits))
			return waits
		})
		ts.Check(s.migrating.Close(s.t.Context()))
	default:
		ts.Fatalf("usage: migration begins|ends")
	}
}

func (s *session) exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var failed *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case err == nil:
		ts.Fatalf("it succeeded")
	case !errors.As(err, &failed):
		ts.Fatalf("it did not run: %v", err)
	case failed.ExitCode() != want:
		ts.Fatalf("exit status %d, want %d", failed.ExitCode(), want)
	}
	said := 0
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if strings.HasPrefix(line, "outbox: ") {
			said++
		}
	}
	if said != 1 {
		ts.Fatalf("the failure is reported in %d lines, not one", said)
	}
}

func (s *session) sql(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: sql STATEMENT [VALUE]")
	}
	conn := s.db.Conn(s.t)
	defer conn.Close(s.t.Context())
	if len(args) == 1 {
		_, err := conn.Exec(s.t.Context(), args[0])
		ts.Check(err)
		return
	}
	var got string
	ts.Check(conn.QueryRow(s.t.Context(), "select ("+args[0]+")::text").Scan(&got))
	if got != args[1] {
		ts.Fatalf("got %s, want %s", got, args[1])
	}
}

func (s *session) statements(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: statements FILE")
	}
	conn := s.db.Conn(s.t)
	defer conn.Close(s.t.Context())
	_, err := conn.Exec(s.t.Context(), "begin;"+ts.ReadFile(args[0])+";commit")
	ts.Check(err)
}
