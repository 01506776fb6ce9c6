package migrate_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/oceanway/outbox/internal/migrate"
)

// TestRolesSurviveAConcurrentGrant makes the race certain: another session has granted the same
// membership and commits only when the step waits for it, which then meets a duplicate row in the
// catalog.
func TestRolesSurviveAConcurrentGrant(t *testing.T) {
	if !server.Private() {
		t.Skip("makes a login of its own")
	}
	database, other := migrated(t)
	observer := connect(t, database)
	login := fmt.Sprintf("racer_%d", os.Getpid())
	exec(t, other, "create role "+login+" login createrole password 'secret'")
	t.Cleanup(func() { exec(t, connect(t, database), "drop role "+login) })
	if server.Version() >= 160000 {
		exec(t, other, "grant outbox_owner to "+login+" with admin true, inherit false, set false")
	}
	conn := connectTo(t, server.URLFor(database, login, "secret"))
	pid := value[int32](t, conn, "select pg_backend_pid()")
	exec(t, other, "begin")
	if server.Version() >= 160000 {
		exec(t, other, "set role "+login)
		exec(t, other, "grant outbox_owner to "+login+" with inherit true, set true")
	} else {
		exec(t, other, "grant outbox_owner to "+login)
	}
	result := make(chan error, 1)
	go func() { result <- migrate.Roles(t.Context(), conn) }()
	deadline := time.Now().Add(30 * time.Second)
	for !value[bool](t, observer, "select cardinality(pg_blocking_pids($1)) = 1", pid) {
		if time.Now().After(deadline) {
			t.Fatal("the step does not meet the other session")
		}
	}
	exec(t, other, "commit")
	exec(t, other, "reset role")
	if err := <-result; err != nil {
		t.Error(err)
	}
}
