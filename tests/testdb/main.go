package testdb

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/oceanway/outbox/internal/pgserver"
)

// EnvKeep set to 1 keeps the database of a test that failed.
const EnvKeep = "OUTBOX_TEST_KEEP"

// current is the one server of this test binary. A test function has no other way to reach what TestMain made.
var current *harness

// Main runs the tests of a package with a server at hand, which starts when the first test wants it, and returns the exit
// status. Where no server can be had it says so in one sentence instead of failing every test.
func Main(m *testing.M) int {
	ctx := context.Background()
	if _, err := pgserver.Find(ctx, serverOptions()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	current = newHarness()
	status := m.Run()
	if err := current.close(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "testdb:", err)
		status = max(status, 1)
	}
	return status
}

// Server is the server that the databases of this test binary are on, for tests about the server itself.
func Server(t testing.TB) *pgserver.Server {
	t.Helper()
	return start(t).server
}

// start returns the harness with its server running.
func start(t testing.TB) *harness {
	t.Helper()
	if current == nil {
		t.Fatal("the package needs: func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }")
	}
	if err := current.start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	return current
}

func keep() bool { return os.Getenv(EnvKeep) == "1" }

func serverOptions() pgserver.Options {
	return pgserver.Options{
		NoSync:   true,
		Detached: keep(),
		Progress: func(message string) { fmt.Fprintln(os.Stderr, message) },
	}
}
