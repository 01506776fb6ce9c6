package pgserver

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// envChild makes the test binary a program that starts a server, says where it is and waits to be killed.
const envChild = "OUTBOX_PGSERVER_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(envChild) != "" {
		os.Exit(child())
	}
	os.Exit(m.Run())
}

func child() int {
	server, err := Start(context.Background(), Options{NoSync: true})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	where := ""
	switch b := server.backend.(type) {
	case *cluster:
		where = b.dir
	case *container:
		where = b.ctr.GetContainerID()
	}
	fmt.Println(where, server.URL("postgres"))
	select {}
}

// startChild returns the running child and the two words that it says.
func startChild(t *testing.T, kind string) (cmd *exec.Cmd, where, dsn string) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), envChild+"=1", EnvServer+"="+kind)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	where, dsn, _ = strings.Cut(strings.TrimSpace(line), " ")
	if where == "error:" {
		t.Fatal(dsn)
	}
	return cmd, where, dsn
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// startLocal starts a local cluster and skips where this machine has no binaries.
func startLocal(t *testing.T, opts Options) *Server {
	t.Helper()
	found, err := chooseLocal(t.Context())
	return startChoice(t, found, err, opts)
}

// startBox starts a container and skips where this machine has no engine or no image.
func startBox(t *testing.T, opts Options) *Server {
	t.Helper()
	found, err := chooseContainer(t.Context(), opts)
	return startChoice(t, found, err, opts)
}

func startChoice(t *testing.T, found choice, err error, opts Options) *Server {
	t.Helper()
	if err != nil {
		t.Skipf("not on this machine: %v", err)
	}
	server, err := launch(t.Context(), found, opts)
	must(t, err)
	t.Cleanup(func() { must(t, server.Close(context.Background())) })
	return server
}

func query(t *testing.T, dsn, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(context.Background())
	var value string
	must(t, conn.QueryRow(t.Context(), sql).Scan(&value))
	return value
}

// eventually polls a condition that another process brings about.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("not in time: %s", what)
		case <-tick.C:
		}
	}
}
