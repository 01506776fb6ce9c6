package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/oceanway/outbox/internal/migrate"
)

// TestFirstInstallsAtOnce comes first in the file, so that on a private server the roles do not
// exist yet and are part of the race.
func TestFirstInstallsAtOnce(t *testing.T) {
	wanted, err := migrate.Wanted()
	if err != nil {
		t.Fatal(err)
	}
	const perDatabase = 6
	databases := []string{newDatabase(t), newDatabase(t), newDatabase(t)}
	var (
		together sync.WaitGroup
		mutex    sync.Mutex
		applied  = map[string]int{}
	)
	together.Add(perDatabase * len(databases))
	group, ctx := errgroup.WithContext(t.Context())
	for _, database := range databases {
		for range perDatabase {
			conn := connect(t, database)
			group.Go(func() error {
				together.Done()
				together.Wait()
				if err := migrate.Roles(ctx, conn); err != nil {
					return fmt.Errorf("roles: %w", err)
				}
				return migrate.Up(ctx, conn, func(seq int32, _ string) {
					mutex.Lock()
					defer mutex.Unlock()
					applied[fmt.Sprintf("%s/%d", database, seq)]++
				})
			})
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, database := range databases {
		for seq := range wanted {
			if n := applied[fmt.Sprintf("%s/%d", database, seq+1)]; n != 1 {
				t.Errorf("migration %d was applied %d times in %s", seq+1, n, database)
			}
		}
		status, err := migrate.Check(t.Context(), connect(t, database))
		if err != nil || status.Version != wanted {
			t.Errorf("%s: %+v, %v", database, status, err)
		}
	}
}

// migrated makes a database with the roles and the schema.
func migrated(t *testing.T) (database string, conn *pgx.Conn) {
	t.Helper()
	database = newDatabase(t)
	conn = connect(t, database)
	if err := migrate.Roles(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	if err := migrate.Up(t.Context(), conn, nil); err != nil {
		t.Fatal(err)
	}
	return database, conn
}

func TestUpTwiceFindsNothingToDo(t *testing.T) {
	_, conn := migrated(t)
	err := migrate.Up(t.Context(), conn, func(_ int32, name string) { t.Errorf("applied %s again", name) })
	if err != nil {
		t.Error(err)
	}
}

func TestInstallTwiceChangesNothing(t *testing.T) {
	_, conn := migrated(t)
	before := catalog(t, conn)
	for range 2 {
		if err := migrate.Install(t.Context(), conn); err != nil {
			t.Fatal(err)
		}
		sameCatalog(t, before, catalog(t, conn))
	}
}

func TestCheckTellsWhatIsWrong(t *testing.T) {
	wanted, err := migrate.Wanted()
	if err != nil {
		t.Fatal(err)
	}
	empty := connect(t, newDatabase(t))
	if status, err := migrate.Check(t.Context(), empty); !errors.Is(err, migrate.ErrNotMigrated) || status.Wanted != wanted {
		t.Errorf("an empty database: %+v, %v", status, err)
	}
	_, conn := migrated(t)
	if status, err := migrate.Check(t.Context(), conn); err != nil || status.Version != wanted {
		t.Errorf("a migrated database: %+v, %v", status, err)
	}
	for _, test := range []struct {
		version int32
		want    error
	}{
		{0, migrate.ErrNotMigrated}, {1, migrate.ErrOutdated}, {wanted - 1, migrate.ErrOutdated}, {wanted + 1, migrate.ErrTooNew},
	} {
		exec(t, conn, fmt.Sprintf("update %s set version = %d", migrate.VersionTable, test.version))
		if status, err := migrate.Check(t.Context(), conn); !errors.Is(err, test.want) || status.Version != test.version {
			t.Errorf("version %d: %+v, %v", test.version, status, err)
		}
	}
	if err := migrate.Up(t.Context(), conn, nil); !errors.Is(err, migrate.ErrTooNew) {
		t.Errorf("a schema that is too new was migrated: %v", err)
	}
}

func TestMissingRoleIsNamed(t *testing.T) {
	if !server.Private() {
		t.Skip("renames a role of the cluster")
	}
	_, conn := migrated(t)
	empty := connect(t, newDatabase(t))
	exec(t, conn, "alter role outbox_reader rename to outbox_reader_gone")
	defer exec(t, conn, "alter role outbox_reader_gone rename to outbox_reader")
	if status, err := migrate.Check(t.Context(), conn); !errors.Is(err, migrate.ErrRoleMissing) || len(status.MissingRoles) != 1 {
		t.Errorf("Check: %+v, %v", status, err)
	}
	if err := migrate.Up(t.Context(), empty, nil); !errors.Is(err, migrate.ErrRoleMissing) {
		t.Errorf("Up: %v", err)
	}
	if value[bool](t, empty, "select to_regclass($1) is not null", migrate.VersionTable) {
		t.Error("a refused migration left its version table behind")
	}
}

// startUp runs Up in a session that finds the migrations locked and gives its result later.
func startUp(t *testing.T, ctx context.Context, database string, observer *pgx.Conn, onStart func(int32, string)) <-chan error {
	t.Helper()
	waiter := connect(t, database)
	pid := value[int32](t, waiter, "select pg_backend_pid()")
	result := make(chan error, 1)
	waits := 0
	go func() {
		err := migrate.Progress{Waits: func() { waits++ }, Starts: onStart}.Up(ctx, waiter)
		if waits != 1 {
			err = errors.Join(err, fmt.Errorf("it told %d times that it waits", waits))
		}
		result <- err
	}()
	deadline := time.Now().Add(30 * time.Second)
	for {
		// The waiter looks at the lock again and again; between two looks it must be idle and hold no snapshot.
		if value[bool](t, observer, `select count(*) = 1 from pg_stat_activity
			where pid = $1 and query like '%pg_try_advisory_lock%' and state = 'idle' and backend_xmin is null`, pid) {
			return result
		}
		if time.Now().After(deadline) {
			t.Fatal("the second migration does not wait, or not without a snapshot")
		}
	}
}

func TestUpWaitsForAnotherMigration(t *testing.T) {
	database := newDatabase(t)
	first := connect(t, database)
	if err := migrate.Roles(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	const ternLock = "9628173550095224"
	exec(t, first, "select pg_advisory_lock("+ternLock+")")
	result := startUp(t, t.Context(), database, connect(t, database), func(_ int32, name string) {
		t.Errorf("the one that waited applied %s", name)
	})
	if err := migrate.Up(t.Context(), first, nil); err != nil {
		t.Fatal(err)
	}
	exec(t, first, "select pg_advisory_unlock("+ternLock+")")
	if err := <-result; err != nil {
		t.Error(err)
	}
	if n := value[int64](t, first, "select count(*) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())"); n != 0 {
		t.Errorf("%d advisory locks stayed", n)
	}
}

func TestUpStopsWaitingWhenItIsCancelled(t *testing.T) {
	database := newDatabase(t)
	first := connect(t, database)
	if err := migrate.Roles(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	exec(t, first, "select pg_advisory_lock(9628173550095224)")
	ctx, cancel := context.WithCancel(t.Context())
	result := startUp(t, ctx, database, connect(t, database), nil)
	cancel()
	select {
	case err := <-result:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("a cancelled migration goes on waiting")
	}
}

func TestOwnerWithoutSuperuserCanInstall(t *testing.T) {
	if !server.Private() {
		t.Skip("makes a login of its own; the given user is one already")
	}
	database := newDatabase(t)
	admin := connect(t, database)
	login := fmt.Sprintf("dba_%d", os.Getpid())
	exec(t, admin, "create role "+login+" login createrole password 'secret'")
	exec(t, admin, "alter database "+database+" owner to "+login)
	t.Cleanup(func() {
		exec(t, admin, "reassign owned by "+login+" to current_user")
		exec(t, admin, "drop owned by "+login)
		exec(t, admin, "drop role "+login)
	})
	// On 16 and later only who made the roles may grant them, so here an administrator does.
	if err := migrate.Roles(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	exec(t, admin, "grant outbox_owner to "+login)
	owner := connectTo(t, server.URLFor(database, login, "secret"))
	for range 2 {
		if err := migrate.Roles(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
		if err := migrate.Up(t.Context(), owner, nil); err != nil {
			t.Fatal(err)
		}
		if err := migrate.Install(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
	}
}
