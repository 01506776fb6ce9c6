// Package registry compares the registries that the database keeps with what the Go packages know.
package registry_test

import (
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/internal/pgerr"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// pairs reads a statement with two text columns.
func pairs(t *testing.T, d *testdb.DB, sql string) map[string]string {
	t.Helper()
	rows, err := d.Conn(t).Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	var key, value string
	_, err = pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		found[key] = value
		return nil
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %d rows, %v", sql, len(found), err)
	}
	return found
}

func TestEveryErrorCodeOfTheDatabaseHasASentinel(t *testing.T) {
	t.Parallel()
	registered := pairs(t, testdb.New(t), "select sqlstate, condition from outbox.errors")
	known := pgerr.Refusals()
	if codes, sentinels := slices.Sorted(maps.Keys(registered)), slices.Sorted(maps.Keys(known)); !slices.Equal(codes, sentinels) {
		t.Errorf("the database raises %v, Go knows %v", codes, sentinels)
	}
	for code, sentinel := range known {
		if err := pgerr.Translate(&pgconn.PgError{Code: code}); !errors.Is(err, sentinel) {
			t.Errorf("%s is not translated to %q", code, sentinel)
		}
	}
}

func TestEveryInvariantHasARegisteredCode(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	invariants := pairs(t, d, "select invariant, sqlstate from outbox.invariants where sqlstate like 'OX%'")
	for invariant, code := range invariants {
		if pgerr.Refusals()[code] == nil {
			t.Errorf("%s is raised as %s, which Go does not know", invariant, code)
		}
	}
}

func TestEveryConsumerIsRegisteredAsItAnswers(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	kinds := pairs(t, d, "select destination, ack_kind from outbox.destinations")
	receipts := pairs(t, d, "select destination, receipt_type from outbox.destinations")
	for _, kind := range consumers.Kinds() {
		if name := string(kind); kinds[name] != kind.AckKind() || receipts[name] != kind.ReceiptType() {
			t.Errorf("%s answers %s on a %s, the database expects %s on a %s",
				name, kind.AckKind(), kind.ReceiptType(), kinds[name], receipts[name])
		}
	}
}

func TestDatabaseAndGoComputeTheSameDefinitionDigest(t *testing.T) {
	t.Parallel()
	canonical, err := fixture.Schemas().Candidate(contracts.DefinitionSchema, contracts.FirstRelease())
	if err != nil {
		t.Fatal(err)
	}
	digest := contracts.Sum(canonical)
	d := testdb.NewActive(t)
	stored := pairs(t, d, "select delivery_set_version, encode(delivery_set_definition_digest, 'hex') from outbox.delivery_set_versions")
	if got := stored[contracts.FirstReleaseName]; got != hex.EncodeToString(digest[:]) {
		t.Errorf("the database stores %s, Go computes %x", got, digest)
	}
	var text string
	err = d.Conn(t).QueryRow(t.Context(), "select contracts.jcs($1::json)", string(canonical)).Scan(&text)
	if err != nil || text != string(canonical) {
		t.Errorf("the canonical bytes are not canonical to the database: %v", err)
	}
}
