package migrate_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/internal/migrate"
)

// TestSettingsOfTheSessionChangeNothing migrates with settings that would give rules another meaning:
// on the search path, operators that they use are somebody else's. The catalog stays the same.
func TestSettingsOfTheSessionChangeNothing(t *testing.T) {
	_, ours := migrated(t)
	database := newDatabase(t)
	admin := connect(t, database)
	exec(t, admin, `create schema evil; grant usage on schema evil to public;
		create function evil.no(text, text) returns boolean language sql immutable as $$ select false $$;
		create function evil.no(int, int) returns boolean language sql immutable as $$ select false $$;
		create operator evil.= (leftarg = text, rightarg = text, function = evil.no);
		create operator evil.> (leftarg = int, rightarg = int, function = evil.no);
		create function evil.octet_length(text) returns int language sql immutable as $$ select 1 $$`)
	config := admin.Config().Copy()
	config.RuntimeParams["search_path"] = "evil, pg_catalog"
	config.RuntimeParams["DateStyle"] = "German"
	config.RuntimeParams["IntervalStyle"] = "sql_standard"
	config.RuntimeParams["default_transaction_isolation"] = "serializable"
	config.RuntimeParams["standard_conforming_strings"] = "off"
	config.RuntimeParams["transform_null_equals"] = "on"
	config.RuntimeParams["quote_all_identifiers"] = "on"
	config.RuntimeParams["client_encoding"] = "LATIN1"
	hostile, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer hostile.Close(t.Context())
	if err := migrate.Up(t.Context(), hostile, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := migrate.Check(t.Context(), hostile); err != nil {
		t.Error(err)
	}
	if path := value[string](t, hostile, "select pg_catalog.current_setting('search_path')"); path != "evil, pg_catalog" {
		t.Errorf("the session's search path is now %s", path)
	}
	if err := migrate.Install(t.Context(), hostile); err != nil {
		t.Fatal(err)
	}
	sameCatalog(t, catalog(t, ours), catalog(t, admin))
}
