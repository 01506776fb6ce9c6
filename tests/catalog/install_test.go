package catalog_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/internal/migrate"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// everything is the whole catalog of a database, bodies, comments and registries included.
func everything(t *testing.T, db tap.Querier) []string {
	t.Helper()
	return slices.Concat(lines(t, db, relationsSQL), lines(t, db, functionsSQL), lines(t, db, grantsSQL), lines(t, db, bodiesSQL))
}

// migrated is an empty database to which the migrations, and nothing else, were applied.
func migrated(t *testing.T) *pgx.Conn {
	t.Helper()
	db := testdb.NewEmpty(t).Conn(t)
	must(t, migrate.Roles(t.Context(), db))
	must(t, migrate.Up(t.Context(), db, nil))
	return db
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMigrationsInstallTheWorkingCopy(t *testing.T) {
	t.Parallel()
	db := migrated(t)
	want := everything(t, db)
	for range 2 {
		must(t, migrate.Install(t.Context(), db))
		same(t, "after the code was installed over the migrations", want, everything(t, db))
	}
}

func TestMigratingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	db := migrated(t)
	want := everything(t, db)
	must(t, migrate.Roles(t.Context(), db))
	must(t, migrate.Up(t.Context(), db, nil))
	same(t, "after a second migration", want, everything(t, db))
}

func TestInstallRepairsGrantsTriggersAndFunctions(t *testing.T) {
	t.Parallel()
	db := migrated(t)
	want := everything(t, db)
	tap.Exec(t, db, `
		grant all on outbox.events to public, outbox_producer;
		grant execute on all functions in schema outbox to public;
		revoke execute on function outbox.append_event from outbox_producer;
		grant usage on schema inbox to public;
		alter table outbox.events disable trigger user;
		drop trigger delivery_set_is_complete on outbox.events;
		alter function outbox.append_event reset all;
		alter function outbox.claim_deliveries security invoker;
		create or replace function outbox.uuid_v7() returns uuid language sql as 'select null::uuid';
		comment on table outbox.events is null;`)
	must(t, migrate.Install(t.Context(), db))
	repaired := everything(t, db)
	// What a CREATE TABLE of a migration said is not said again.
	want = slices.DeleteFunc(want, func(line string) bool { return strings.HasPrefix(line, "comment table outbox.events ") })
	same(t, "after the code was installed again", want, repaired)
}

// TestStockTernGivesTheSameCatalog builds the tern binary and uses it as a DBA would.
func TestStockTernGivesTheSameCatalog(t *testing.T) {
	t.Parallel()
	tern := filepath.Join(t.TempDir(), "tern")
	run(t, nil, "go", "build", "-C", "../../tools", "-o", tern, "github.com/jackc/tern/v2")
	want := everything(t, migrated(t))
	d := testdb.NewEmpty(t)
	db := d.Conn(t)
	must(t, migrate.Roles(t.Context(), db))
	run(t, variables(t, d), tern, "migrate", "--config", "../../sql/migrations/tern.conf", "--migrations", "../../sql/migrations")
	same(t, "after stock tern", want, everything(t, db))
	if _, err := migrate.Check(t.Context(), db); err != nil {
		t.Error(err)
	}
	must(t, migrate.Up(t.Context(), db, func(_ int32, name string) { t.Errorf("applied %s again", name) }))
}

// variables are the PG* variables that lead to a database.
func variables(t *testing.T, d *testdb.DB) []string {
	t.Helper()
	config, err := pgconn.ParseConfig(d.URL)
	must(t, err)
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "PG") })
	mode := "disable"
	if config.TLSConfig != nil {
		mode = "prefer"
	}
	return append(env, "PGHOST="+config.Host, "PGPORT="+strconv.Itoa(int(config.Port)), "PGUSER="+config.User, "PGPASSWORD="+config.Password, "PGDATABASE="+config.Database,
		"PGSSLMODE="+mode)
}

func run(t *testing.T, env []string, program string, arguments ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, arguments...)
	cmd.Env = env
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, said)
	}
}

// TestHostileSettingsOfTheInstallingSessionChangeNothing: a DBA's defaults are no part of the schema.
func TestHostileSettingsOfTheInstallingSessionChangeNothing(t *testing.T) {
	t.Parallel()
	want := everything(t, migrated(t))
	db := testdb.NewEmpty(t).Conn(t)
	must(t, migrate.Roles(t.Context(), db))
	tap.Exec(t, db, `
		create schema evil; create domain evil.text as int; create domain evil.jsonb as int;
		create function evil.length(text) returns int language sql as 'select 0';
		set search_path = evil, public; set standard_conforming_strings = off; set escape_string_warning = off; set DateStyle = 'German'; set IntervalStyle = sql_standard;
		set TimeZone = 'Asia/Kathmandu'; set default_transaction_isolation = serializable; set check_function_bodies = on; set extra_float_digits = -15;
		set default_toast_compression = pglz; set array_nulls = off; set bytea_output = escape`)
	must(t, migrate.Up(t.Context(), db, nil))
	must(t, migrate.Install(t.Context(), db))
	tap.Exec(t, db, "reset all")
	same(t, "after a hostile session migrated", want, everything(t, db))
}
