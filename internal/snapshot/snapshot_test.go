package main

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	outboxsql "github.com/oceanway/outbox/sql"
)

func TestRepositorySnapshotIsUpToDateAndReleasesAreUntouched(t *testing.T) {
	tree := tree{sql: "../../sql", migrations: "../../sql/migrations"}
	if err := tree.check(); err != nil {
		t.Error(err)
	}
}

// newTree makes a working copy with one migration for tables.
func newTree(t *testing.T) tree {
	t.Helper()
	root := t.TempDir()
	fixture := tree{sql: root, migrations: filepath.Join(root, "migrations")}
	fixture.write(t, "migrations/001_tables.sql", "create table t ();")
	fixture.write(t, "migrations/snapshots/README.md", "not SQL")
	fixture.write(t, "functions/outbox/f.sql", "create function f …")
	fixture.write(t, "triggers/g.sql", "create trigger g …")
	fixture.write(t, "grants.sql", "grant …")
	fixture.write(t, "roles.sql", "create role …")
	fixture.write(t, "embed.go", "package sql")
	fixture.write(t, "install.sql", `{{ template "functions/outbox/f.sql" . }}
{{ template "triggers/g.sql" . }}
{{ template "grants.sql" . }}`)
	return fixture
}

func (t tree) write(tb testing.TB, path, text string) {
	tb.Helper()
	target := filepath.Join(t.sql, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(target, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func (t tree) read(tb testing.TB, path string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(t.sql, filepath.FromSlash(path)))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func (t tree) mustUpdate(tb testing.TB) {
	tb.Helper()
	if err := t.update(io.Discard); err != nil {
		tb.Fatal(err)
	}
	if err := t.check(); err != nil {
		tb.Fatalf("an update leaves something to do: %v", err)
	}
}

func (t tree) mustRelease(tb testing.TB) {
	tb.Helper()
	if err := t.release(io.Discard); err != nil {
		tb.Fatal(err)
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got %v, want an error with %q", err, part)
	}
}

func TestUpdateCopiesTheCodeAndNothingElse(t *testing.T) {
	tree := newTree(t)
	wantError(t, tree.check(), "002_install_code.sql")
	tree.mustUpdate(t)
	if text := tree.read(t, "migrations/002_install_code.sql"); !strings.Contains(text, `{{ install_snapshot "002" }}`) {
		t.Errorf("the migration installs nothing: %s", text)
	}
	for _, path := range []string{"functions/outbox/f.sql", "triggers/g.sql", "install.sql", "grants.sql"} {
		if tree.read(t, "migrations/snapshots/002/"+path) != tree.read(t, path) {
			t.Errorf("%s was not copied", path)
		}
	}
	for _, path := range []string{"migrations", "roles.sql", "embed.go"} {
		if _, err := os.Stat(filepath.Join(tree.migrations, "snapshots/002", path)); err == nil {
			t.Errorf("%s was copied", path)
		}
	}
}

func TestUpdateFollowsTheWorkingCopyUntilTheRelease(t *testing.T) {
	tree := newTree(t)
	tree.mustUpdate(t)
	tree.write(t, "functions/outbox/f.sql", "create function f, better")
	if err := os.Remove(filepath.Join(tree.sql, "triggers/g.sql")); err != nil {
		t.Fatal(err)
	}
	tree.write(t, "install.sql", `{{ template "functions/outbox/f.sql" . }}{{ template "grants.sql" . }}`)
	wantError(t, tree.check(), "snapshots/002/functions/outbox/f.sql, snapshots/002/install.sql, snapshots/002/triggers/g.sql")
	tree.mustUpdate(t)
	if got := tree.read(t, "migrations/snapshots/002/functions/outbox/f.sql"); got != "create function f, better" {
		t.Errorf("the snapshot kept %q", got)
	}
	if _, err := os.Stat(filepath.Join(tree.migrations, "snapshots/002/triggers/g.sql")); err == nil {
		t.Error("a file that is gone stayed in the snapshot")
	}
}

func TestAfterAReleaseTheNextNumberIsWritten(t *testing.T) {
	tree := newTree(t)
	tree.mustUpdate(t)
	tree.mustRelease(t)
	tree.mustUpdate(t) // the same code needs no migration
	if _, err := os.Stat(filepath.Join(tree.migrations, "003_install_code.sql")); err == nil {
		t.Error("unchanged code was given a migration")
	}
	tree.write(t, "functions/outbox/f.sql", "create function f, better")
	wantError(t, tree.check(), "003_install_code.sql")
	tree.mustUpdate(t)
	if got := tree.read(t, "migrations/snapshots/002/functions/outbox/f.sql"); got != "create function f …" {
		t.Errorf("the released snapshot became %q", got)
	}
	if got := tree.read(t, "migrations/snapshots/003/functions/outbox/f.sql"); got != "create function f, better" {
		t.Errorf("the new snapshot is %q", got)
	}
}

func TestEveryFileIsInstalledOnce(t *testing.T) {
	tree := newTree(t)
	tree.write(t, "views/v.sql", "create view v …")
	wantError(t, tree.check(), "install.sql installs views/v.sql 0 times")
	tree.write(t, "install.sql", tree.read(t, "install.sql")+`{{ template "views/v.sql" . }}{{ template "views/v.sql" . }}`)
	wantError(t, tree.update(io.Discard), "install.sql installs views/v.sql 2 times")
}

func TestTheBinaryCarriesTheWorkingCopy(t *testing.T) {
	tree := tree{sql: "../../sql", migrations: "../../sql/migrations"}
	wanted, err := tree.code()
	if err != nil {
		t.Fatal(err)
	}
	carried := content{}
	err = fs.WalkDir(outboxsql.Code(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		carried[path], err = fs.ReadFile(outboxsql.Code(), path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if differs := differing(wanted, carried); len(differs) > 0 {
		t.Errorf("sql/embed.go does not carry what sql/ holds: %v", differs)
	}
}

func TestCodeIsInstalledLast(t *testing.T) {
	tree := newTree(t)
	tree.mustUpdate(t)
	tree.write(t, "migrations/003_more_tables.sql", "create table u ();")
	wantError(t, tree.check(), "003_more_tables.sql comes after 002_install_code.sql")
}

func TestTheInstallMigrationMovesOutOfTheWay(t *testing.T) {
	tree := newTree(t)
	tree.mustUpdate(t)
	tree.write(t, "migrations/002_contract_schemas.sql", "insert …")
	wantError(t, tree.check(), "002_install_code.sql, 003_install_code.sql")
	tree.mustUpdate(t)
	if text := tree.read(t, "migrations/003_install_code.sql"); !strings.Contains(text, `{{ install_snapshot "003" }}`) {
		t.Errorf("the migration that moved installs %s", text)
	}
	if got := tree.read(t, "migrations/snapshots/003/functions/outbox/f.sql"); got != "create function f …" {
		t.Errorf("the snapshot that moved holds %q", got)
	}
	for _, path := range []string{"002_install_code.sql", "snapshots/002"} {
		if _, err := os.Stat(filepath.Join(tree.migrations, path)); err == nil {
			t.Errorf("%s stays", path)
		}
	}
	if err := os.Remove(filepath.Join(tree.migrations, "002_contract_schemas.sql")); err != nil {
		t.Fatal(err)
	}
	tree.mustUpdate(t)
	if _, err := os.Stat(filepath.Join(tree.migrations, "snapshots/003")); err == nil {
		t.Error("it does not move back")
	}
}

func TestAReleasedInstallMigrationStaysWhereItIs(t *testing.T) {
	tree := newTree(t)
	tree.mustUpdate(t)
	tree.mustRelease(t)
	tree.write(t, "migrations/003_contract_schemas.sql", "insert …")
	tree.write(t, "functions/outbox/f.sql", "create function f, better")
	tree.mustUpdate(t)
	for _, path := range []string{"002_install_code.sql", "snapshots/002/install.sql", "004_install_code.sql", "snapshots/004/install.sql"} {
		if _, err := os.Stat(filepath.Join(tree.migrations, path)); err != nil {
			t.Error(err)
		}
	}
}

func TestNumbersHaveNoGapAndComeOnce(t *testing.T) {
	tree := newTree(t)
	tree.write(t, "migrations/003_more_tables.sql", "create table u ();")
	wantError(t, tree.check(), "Missing migration 2")
	tree.write(t, "migrations/002_some_tables.sql", "create table v ();")
	tree.write(t, "migrations/002_more_tables.sql", "create table w ();")
	wantError(t, tree.check(), "Duplicate migration 2")
	tree = newTree(t)
	tree.mustUpdate(t)
	tree.write(t, "migrations/003_install_code.sql", "install …")
	wantError(t, tree.check(), "003_install_code.sql comes after 002_install_code.sql")
}

func TestReleasedFilesNeverChange(t *testing.T) {
	for name, change := range map[string]func(tree tree){
		"migrations/001_tables.sql": func(tree tree) {
			tree.write(t, "migrations/001_tables.sql", "create table t (a int);")
		},
		"migrations/snapshots/002/grants.sql": func(tree tree) {
			tree.write(t, "migrations/snapshots/002/grants.sql", "grant all")
		},
		"migrations/snapshots/002/functions/outbox/f.sql": func(tree tree) {
			if err := os.Remove(filepath.Join(tree.migrations, "snapshots/002/functions/outbox/f.sql")); err != nil {
				t.Fatal(err)
			}
		},
		"migrations/snapshots/002/functions/added.sql": func(tree tree) {
			tree.write(t, "migrations/snapshots/002/functions/added.sql", "create function x …")
		},
	} {
		tree := newTree(t)
		tree.mustUpdate(t)
		tree.mustRelease(t)
		change(tree)
		part := "released migrations never change: " + strings.TrimPrefix(name, "migrations/")
		wantError(t, tree.check(), part)
		wantError(t, tree.update(io.Discard), part)
		wantError(t, tree.release(io.Discard), part)
	}
}

func TestReleaseOnlyAppendsAndCoreutilsCanReadIt(t *testing.T) {
	tree := newTree(t)
	wantError(t, tree.release(io.Discard), "run `make snapshot`")
	tree.mustUpdate(t)
	tree.mustRelease(t)
	first := tree.read(t, "migrations/released.sha256")
	tree.mustRelease(t)
	if again := tree.read(t, "migrations/released.sha256"); again != first {
		t.Error("releasing twice pinned twice")
	}
	tree.write(t, "functions/outbox/f.sql", "create function f, better")
	tree.mustUpdate(t)
	tree.mustRelease(t)
	second := tree.read(t, "migrations/released.sha256")
	if !strings.HasPrefix(second, first) || !strings.Contains(second[len(first):], "  snapshots/003/install.sql\n") {
		t.Errorf("the second release is not appended: %s", second)
	}
	command := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "--quiet", pinFile)
	command.Dir = tree.migrations
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("sha256sum: %v: %s", err, out)
	}
}

func TestRunKnowsItsFlags(t *testing.T) {
	tree := newTree(t)
	for _, args := range [][]string{{"--sql", tree.sql}, {"--sql", tree.sql, "--check"}, {"--sql", tree.sql, "--release"}} {
		if err := run(args, io.Discard); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	wantError(t, run([]string{"--check", "--release"}, io.Discard), "exclude each other")
}
