package pgserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChoiceNeedsAKnownServerKind(t *testing.T) {
	t.Setenv(EnvServer, "cloud")
	if _, err := Find(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "none of url, container and local") {
		t.Errorf("error is %v", err)
	}
}

func TestForcedURLNeedsOne(t *testing.T) {
	t.Setenv(EnvServer, "url")
	t.Setenv(EnvURL, "")
	if _, err := Find(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), EnvURL) {
		t.Errorf("error is %v", err)
	}
}

func TestGivenURLComesFirst(t *testing.T) {
	t.Setenv(EnvServer, "")
	t.Setenv(EnvURL, "postgres://nobody@127.0.0.1:1/none?connect_timeout=2")
	name, err := Find(t.Context(), Options{})
	must(t, err)
	if !strings.Contains(name, EnvURL) {
		t.Errorf("chose %s", name)
	}
	if _, err := Start(t.Context(), Options{}); err == nil {
		t.Error("a server that cannot be reached was replaced by another")
	}
}

func TestGivenServerIsUsedAndLeftAlone(t *testing.T) {
	given := startLocal(t, Options{NoSync: true, TCP: true})
	local := clusterOf(t, given)
	words := fmt.Sprintf("host=127.0.0.1 port=%d user=postgres password=%s sslmode=disable", local.port, local.password)
	for _, dsn := range []string{given.URL("template1"), words + " dbname=template1"} {
		t.Setenv(EnvURL, dsn)
		t.Setenv(EnvServer, "url")
		server, err := Start(t.Context(), Options{})
		must(t, err)
		if got := query(t, server.URL("postgres"), "select current_database()"); got != "postgres" {
			t.Errorf("connected to %s", got)
		}
		if server.AdminDatabase() != "template1" || server.Private() {
			t.Errorf("admin database %s, private %v", server.AdminDatabase(), server.Private())
		}
		if shown := server.DisplayURL("postgres"); strings.Contains(shown, local.password) && strings.HasPrefix(shown, "postgres:") {
			t.Errorf("a password is shown: %s", shown)
		}
		must(t, server.Close(t.Context()))
		query(t, given.URL("postgres"), "select 'still there'")
	}
}

func TestOtherUsersConnectWithTheirPassword(t *testing.T) {
	t.Parallel()
	addr := address{socket: "/tmp/x", port: 5432}
	if got := addr.dsn("d", "u", "p"); got != "postgres://u@/d?host=%2Ftmp%2Fx&port=5432" {
		t.Errorf("socket: %s", got)
	}
	addr = address{given: "host=/tmp user=a password=b"}
	if got := addr.dsn("d", "it's", `p\w`); !strings.Contains(got, `user='it\'s'`) || !strings.Contains(got, `password='p\\w'`) {
		t.Errorf("keyword form: %s", got)
	}
	addr = address{given: "postgresql://a:b@h/x?dbname=y&sslmode=disable"}
	if got := addr.dsn("d", "u", "p"); got != "postgresql://u:p@h/d?sslmode=disable" {
		t.Errorf("URL form: %s", got)
	}
}

func TestNothingInstalledIsOneSentence(t *testing.T) {
	t.Parallel()
	err := noServer(errNoEngine, errNoBinaries)
	if !errors.Is(err, ErrNoServer) || strings.ContainsAny(err.Error(), ";\n") {
		t.Errorf("error is %q", err)
	}
	err = noServer(fmt.Errorf("image x %w", errNoImage), errNoBinaries)
	if strings.ContainsAny(err.Error(), ";\n") || !strings.Contains(err.Error(), "make image") {
		t.Errorf("error is %q", err)
	}
	err = noServer(errNoEngine, tooOld(binaries{dir: "/x", version: "13.4"}))
	if !strings.Contains(err.Error(), "13.4") {
		t.Errorf("error hides the old version: %q", err)
	}
}

// fakeBinaries is a directory whose postgres claims a version.
func fakeBinaries(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	for _, name := range []string{"initdb", "postgres"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	return dir
}

func TestNewestSupportedBinariesWin(t *testing.T) {
	t.Parallel()
	dirs := []string{
		fakeBinaries(t, "13.4 (Debian 13.4-1)"), fakeBinaries(t, "9.6.24"), fakeBinaries(t, "18beta1"), fakeBinaries(t, "17.2"), t.TempDir(),
	}
	found := inspectAll(t.Context(), dirs)
	bin, err := newest(found)
	must(t, err)
	if len(found) != 4 || bin.version != "18beta1" || bin.major != 18 {
		t.Errorf("found %+v, newest %+v", found, bin)
	}
	if _, err := newest(inspectAll(t.Context(), dirs[:2])); err == nil || !strings.Contains(err.Error(), "13.4") {
		t.Errorf("old binaries: %v", err)
	}
	if _, err := newest(nil); !errors.Is(err, errNoBinaries) {
		t.Errorf("no binaries: %v", err)
	}
}

func TestGivenBinariesAreNeverReplaced(t *testing.T) {
	t.Setenv(EnvServer, "local")
	for dir, want := range map[string]string{t.TempDir(): "holds no initdb", fakeBinaries(t, "12.1"): "oldest supported"} {
		t.Setenv(EnvBinDir, dir)
		if _, err := Find(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}

func TestFirstUnprivilegedUser(t *testing.T) {
	t.Parallel()
	const passwd = "root:x:0:0::/:/bin/sh\nbad\ndaemon:x:1:1::/:/x\nada:x:1000:1001::/home/ada:/bin/sh\n"
	found, err := firstUnprivileged(strings.NewReader(passwd))
	must(t, err)
	if found.Uid != 1000 || found.Gid != 1001 {
		t.Errorf("found %+v", found)
	}
	if _, err := firstUnprivileged(strings.NewReader("root:x:0:0::/:/bin/sh\n")); err == nil {
		t.Error("root counts as unprivileged")
	}
}

func TestClusterParentIsReachable(t *testing.T) {
	closed := t.TempDir()
	must(t, os.Chmod(closed, 0o700))
	t.Setenv("TMPDIR", closed)
	nobody, err := credential("65534", "65534")
	must(t, err)
	if got := clusterParent(nobody); got != "/tmp" {
		t.Errorf("chose %s", got)
	}
	t.Setenv("TMPDIR", "/tmp/"+strings.Repeat("x", maxTempDir))
	if got := clusterParent(nil); got != "/tmp" {
		t.Errorf("chose %s, too long for a socket", got)
	}
}
