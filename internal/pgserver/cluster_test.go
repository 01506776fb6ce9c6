package pgserver

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func clusterOf(t *testing.T, server *Server) *cluster {
	t.Helper()
	local, ok := server.backend.(*cluster)
	if !ok {
		t.Fatalf("not a local cluster: %s", server.Describe())
	}
	return local
}

func TestLocalServerAcceptsConnections(t *testing.T) {
	t.Parallel()
	server := startLocal(t, Options{NoSync: true})
	if got := query(t, server.URL("postgres"), "show server_version_num"); got != strconv.Itoa(server.Version()) {
		t.Errorf("version %d, server says %s", server.Version(), got)
	}
	if got := query(t, server.URL("template1"), "select current_database()"); got != "template1" {
		t.Errorf("connected to %s", got)
	}
	if got := query(t, server.URL("postgres"), "select rolsuper::text from pg_roles where rolname = current_user"); got != "true" {
		t.Error("the admin of a private server is no superuser")
	}
	if !server.Private() || !strings.Contains(server.Describe(), "private cluster") {
		t.Errorf("described as %q", server.Describe())
	}
}

func TestLocalServerListensOnItsSocketOnly(t *testing.T) {
	t.Parallel()
	server := startLocal(t, Options{NoSync: true})
	if got := query(t, server.URL("postgres"), "show listen_addresses"); got != "" {
		t.Errorf("listens on %q", got)
	}
	info, err := os.Stat(clusterOf(t, server).dir)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("directory is open to others: %v", info.Mode())
	}
}

func TestLocalServerListensOnLoopbackWhenAsked(t *testing.T) {
	t.Parallel()
	server := startLocal(t, Options{NoSync: true, TCP: true})
	if got := query(t, server.URL("postgres"), "select host(inet_server_addr())"); got != "127.0.0.1" {
		t.Errorf("connected to %q", got)
	}
	wrong := server.URLFor("postgres", adminUser, "wrong")
	if conn, err := pgx.Connect(t.Context(), wrong); err == nil {
		_ = conn.Close(t.Context())
		t.Error("TCP accepts a wrong password")
	}
}

func TestLocalServerDoesNotRunAsRoot(t *testing.T) {
	t.Parallel()
	server := startLocal(t, Options{NoSync: true})
	info, err := os.ReadFile("/proc/" + strconv.Itoa(clusterOf(t, server).server.cmd.Process.Pid) + "/status")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no /proc")
	}
	must(t, err)
	if strings.Contains(string(info), "Uid:\t0\t") {
		t.Error("postgres runs as root")
	}
}

func TestServerIsDurableUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	for want, opts := range map[string]Options{"on": {}, "off": {NoSync: true}} {
		server := startLocal(t, opts)
		if got := query(t, server.URL("postgres"), "show fsync"); got != want {
			t.Errorf("%+v: fsync is %s", opts, got)
		}
	}
}

func TestSettingsReachTheServer(t *testing.T) {
	t.Parallel()
	server := startLocal(t, Options{NoSync: true, Settings: map[string]string{"work_mem": "7MB"}})
	if got := query(t, server.URL("postgres"), "show work_mem"); got != "7MB" {
		t.Errorf("work_mem is %s", got)
	}
}

func TestEnvironmentDoesNotReachTheServer(t *testing.T) {
	t.Setenv("PGDATA", "/nonexistent")
	t.Setenv("TZ", "Asia/Kathmandu")
	server := startLocal(t, Options{NoSync: true})
	if got := query(t, server.URL("postgres"), "select reset_val from pg_settings where name = 'TimeZone'"); got == "Asia/Kathmandu" {
		t.Errorf("time zone is %s", got)
	}
}

func TestEnvironmentDoesNotLeadTheClientAstray(t *testing.T) {
	astray := map[string]string{
		"PGHOST": "/nonexistent", "PGPORT": "1", "PGUSER": "nobody", "PGDATABASE": "nonexistent", "PGPASSWORD": "wrong",
		"PGPASSFILE": "/nonexistent", "PGSERVICE": "nonexistent", "PGSERVICEFILE": "/nonexistent", "PGOPTIONS": "-c work_mem=9MB",
		"PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/nonexistent", "PGTARGETSESSIONATTRS": "standby", "PGTZ": "Asia/Kathmandu",
		"PGCONNECT_TIMEOUT": "x", "PGREQUIREAUTH": "none",
	}
	for name, opts := range map[string]Options{"socket": {NoSync: true}, "TCP": {NoSync: true, TCP: true}} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range astray {
				t.Setenv(variable, value)
			}
			server := startLocal(t, opts)
			if got := query(t, server.URL("postgres"), "select current_setting('work_mem') || ' ' || current_user"); got != "4MB postgres" {
				t.Errorf("got %s", got)
			}
			if _, ok := os.LookupEnv("PGSERVICE"); ok {
				t.Error("programs that this one starts would still be led astray")
			}
		})
	}
}

// A connection string is also given to people, whose environment stays as it is.
func TestConnectionStringSaysWhereTheServerIs(t *testing.T) {
	for name, opts := range map[string]Options{"socket": {NoSync: true}, "TCP": {NoSync: true, TCP: true}} {
		t.Run(name, func(t *testing.T) {
			server := startLocal(t, opts)
			for variable, value := range map[string]string{
				"PGHOST": "/nonexistent", "PGPORT": "1", "PGUSER": "nobody", "PGDATABASE": "nonexistent", "PGPASSWORD": "wrong", "PGSSLMODE": "require",
			} {
				t.Setenv(variable, value)
			}
			query(t, server.URL("postgres"), "select 'there'")
		})
	}
}

func TestRestartKeepsTheData(t *testing.T) {
	t.Parallel()
	for _, mode := range []StopMode{Fast, Immediate} {
		server := startLocal(t, Options{NoSync: true})
		dsn := server.URL("postgres")
		query(t, dsn, "select pg_catalog.set_config('work_mem', '9MB', false)")
		query(t, dsn, "with x as (select pg_catalog.lo_from_bytea(4711, 'kept')) select 'written' from x")
		must(t, server.Restart(t.Context(), mode))
		if got := query(t, dsn, "select pg_catalog.convert_from(pg_catalog.lo_get(4711), 'UTF8')"); got != "kept" {
			t.Errorf("mode %d: read %q", mode, got)
		}
	}
}

func TestStoppedServerRefusesAndResumes(t *testing.T) {
	t.Parallel()
	server := startLocal(t, Options{NoSync: true})
	must(t, server.Stop(t.Context(), Immediate))
	if conn, err := pgx.Connect(t.Context(), server.URL("postgres")); err == nil {
		_ = conn.Close(t.Context())
		t.Fatal("a stopped server accepts connections")
	}
	must(t, server.Resume(t.Context()))
	query(t, server.URL("postgres"), "select 'back'")
	if err := server.Resume(t.Context()); err == nil {
		t.Error("a running server was started again")
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	server := startLocal(t, Options{NoSync: true})
	local := clusterOf(t, server)
	sweeper := local.sweeper
	must(t, server.Close(t.Context()))
	if _, err := os.Stat(local.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("directory stays: %v", err)
	}
	if !local.server.ended() || !sweeper.child.ended() {
		t.Error("a process stays")
	}
	must(t, server.Close(t.Context())) // twice is fine
}

func TestFailedStartLeavesNothingBehind(t *testing.T) {
	parent, err := os.MkdirTemp("/tmp", "outbox-test-") //nolint:usetesting // short, and open to the server's user
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(parent) })
	must(t, os.Chmod(parent, 0o755))
	t.Setenv("TMPDIR", parent)
	found, err := chooseLocal(t.Context())
	if err != nil {
		t.Skipf("not on this machine: %v", err)
	}
	_, err = launch(t.Context(), found, Options{NoSync: true, Settings: map[string]string{"no_such_setting": "1"}})
	if err == nil || !strings.Contains(err.Error(), "no_such_setting") {
		t.Fatalf("error does not tell what the server said: %v", err)
	}
	left, err := os.ReadDir(parent)
	must(t, err)
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCancelledStartEnds(t *testing.T) {
	t.Parallel()
	found, err := chooseLocal(t.Context())
	if err != nil {
		t.Skipf("not on this machine: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := found.start(ctx, Options{NoSync: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestServerDiesWithItsParent(t *testing.T) {
	t.Parallel()
	startLocal(t, Options{NoSync: true}) // skips where it cannot run
	parent, dir, dsn := startChild(t, "local")
	query(t, dsn, "select 'alive'")
	pid := strings.TrimSpace(firstLine(t, filepath.Join(dir, "data", "postmaster.pid")))
	must(t, parent.Process.Kill())
	eventually(t, "the postmaster ends", func() bool {
		return exec.Command("/bin/kill", "-0", pid).Run() != nil
	})
	eventually(t, "the directory is removed", func() bool {
		_, err := os.Stat(dir)
		return errors.Is(err, fs.ErrNotExist)
	})
}

func firstLine(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

func TestDetachedServerSaysHowToEndIt(t *testing.T) {
	t.Parallel()
	server := startLocal(t, Options{NoSync: true, Detached: true})
	local := clusterOf(t, server)
	if local.sweeper != nil || !strings.Contains(server.Describe(), local.dir) {
		t.Errorf("described as %q", server.Describe())
	}
}
