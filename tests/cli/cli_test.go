// Package cli runs the scripts of testdata against the built command and real databases. Besides the
// words of testscript a script has
//
//	database empty|migrated|active   a database of its own; OUTBOX_DATABASE_URL is its admin's
//	login [ROLE...]                  OUTBOX_DATABASE_URL becomes a new login's that is in the roles
//	exits STATUS PROGRAM ARG...      run a program that fails with exactly this status and one line
//	sql STATEMENT [VALUE]            run a statement as admin, and compare the one value it gives
package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

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
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	build := exec.CommandContext(context.Background(), "go", "build", "-o", folder, "../../cmd/outbox")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the command: %v\n%s", err, out)
		return 1
	}
	programs = folder
	return testdb.Main(m)
}

func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s := &session{t: t}
			testscript.Run(t, testscript.Params{
				Files:              []string{script},
				RequireUniqueNames: true,
				Condition:          s.condition,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"database": s.database, "login": s.login, "exits": s.exits, "sql": s.sql,
				},
				Setup: func(env *testscript.Env) error {
					env.Setenv("PATH", programs+string(os.PathListSeparator)+env.Getenv("PATH"))
					return nil
				},
			})
		})
	}
}

// session is what the commands of one script share.
type session struct {
	t  *testing.T
	db *testdb.DB
}

// condition knows [superuser]: the admin user of the server is one.
func (s *session) condition(name string) (bool, error) {
	if name != "superuser" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	if s.db == nil {
		return false, errors.New("the condition superuser needs a database")
	}
	return s.db.IsSuperuser(s.t), nil
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
	ts.Setenv("OUTBOX_DATABASE_URL", s.db.LoginURL(s.t, roles...))
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
	defer conn.Close(s.t.Context()) //nolint:errcheck // the statement has been answered
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
