// Package append holds outbox.append_event and outbox.append_events to the envelope profile, and to what a producer may
// rely on: one event with exactly its deliveries, or nothing.
package append_test

import (
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

const appendSQL = "select * from outbox.append_event($1::json)"

// secret stands in every value of the envelopes that are refused, so that no message may contain it.
const secret = "SECRET-4711"

// secretive puts the secret into every member that may hold any text.
func secretive(envelope fixture.Object) {
	for _, member := range []string{
		"tenantId", "workspaceId", "projectId", "actorPrincipalId", "correlationId", "causationId", "operationId", "traceId",
	} {
		envelope[member] = secret
	}
	envelope["aggregateId"] = secret + fixture.NewID()
	envelope["payload"] = fixture.Object{"card": secret, secret: []string{secret}}
}

// envelope is a valid envelope full of secrets, changed by the options.
func envelope(options ...fixture.Option) string {
	return fixture.Envelope(append([]fixture.Option{secretive}, options...)...)
}

// refused asserts that an envelope is refused with a rule and a path, that the refusal quotes nothing, and that nothing
// is left behind.
func refused(t *testing.T, db tap.Querier, sqlstate, invariant, detail, envelope string) {
	t.Helper()
	report := tap.Throws(t, db, sqlstate, invariant, appendSQL, envelope)
	quotesNothing(t, report)
	if report != nil && report.Detail != detail {
		t.Errorf("%s %s\n  detail: %.300s\n  want:   %.300s", sqlstate, invariant, report.Detail, detail)
	}
	nothingAppended(t, db)
}

// quotesNothing asserts that a refusal holds no value of the envelope.
func quotesNothing(t *testing.T, report *pgconn.PgError) {
	t.Helper()
	if report == nil {
		return
	}
	for _, part := range []string{report.Message, report.Detail, report.Hint, report.Where} {
		if strings.Contains(part, secret) {
			t.Errorf("the refusal quotes the envelope: %.300s", part)
		}
	}
}

// nothingAppended asserts that no event, delivery or anything else was written.
func nothingAppended(t *testing.T, db tap.Querier) {
	t.Helper()
	tap.RowEq(t, db, tap.Row{0, 0, 0}, `
		select (select count(*) from outbox.events), (select count(*) from outbox.deliveries),
			(select count(*) from outbox.event_publications)`)
}

// accepted appends an envelope, in a transaction that is rolled back, and returns what was stored.
func accepted(t *testing.T, d *testdb.DB, envelope string) (stored string) {
	t.Helper()
	tx, err := d.Conn(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	event := fixture.Append(t, tx, envelope)
	return tap.Value[string](t, tx, "select event_envelope from outbox.events where event_id = $1", event)
}
