package dispatcher

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// Tests that need a real server use this harness; it starts when the first of them wants it.
func TestMain(m *testing.M) {
	if os.Getenv(childPoint) != "" {
		dieAtPoint()
	}
	os.Exit(testdb.Main(m))
}

var everyDestination = []string{fixture.Operations, fixture.Metering, fixture.Coordinator, fixture.CatchUp}

// accept answers a delivery as its consumer does; a redelivery gets the same receipt.
func accept(w http.ResponseWriter, r *http.Request) {
	claim, err := deliveryOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	receipt := fixture.Receipt(claim)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(mustJSON(map[string]any{
		"result": contracts.Acknowledged, "ack": fixture.Ack(claim, receipt), "receipt": receipt,
	}))
}

// receiptTypes gives what the first release's consumers write.
func receiptTypes() map[string]string {
	return map[string]string{
		fixture.Operations:  operationsReceipt,
		fixture.Metering:    contracts.MeteringInputProcessorConsumerReceipt,
		fixture.Coordinator: contracts.BillingFinalizationCoordinatorConsumerReceipt,
		fixture.CatchUp:     contracts.BillingSettlementCatchUpConsumerReceipt,
	}
}

// deliveryOf reads what a consumer is told of a delivery.
func deliveryOf(r *http.Request) (fixture.Claimed, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fixture.Claimed{}, err
	}
	envelope, err := released().ParseEnvelope(body)
	if err != nil {
		return fixture.Claimed{}, err
	}
	algorithm, digest, _ := strings.Cut(r.Header.Get("Outbox-Envelope-Digest"), "=")
	sum, err := hex.DecodeString(digest)
	if err != nil {
		return fixture.Claimed{}, err
	}
	claim := fixture.Claimed{
		EventID: envelope.EventID, EventType: envelope.EventType, EventSchemaVersion: envelope.EventSchemaVersion,
		Destination: r.Header.Get("Outbox-Destination"), ConsumerName: r.Header.Get("Outbox-Consumer"),
		EventEnvelopeDigestAlgorithmVersion: algorithm, EventEnvelopeSha256: sum, ExpectedReceiptSchemaVersion: "1",
	}
	claim.ExpectedReceiptType = receiptTypes()[claim.Destination]
	if name, version, ok := strings.Cut(r.Header.Get("Outbox-Projection"), ";"); ok {
		claim.RequiredProjectionName, claim.RequiredProjectionVersion = &name, &version
	}
	return claim, nil
}

// serverConfig is a quick configuration whose destinations are all served at one address.
func serverConfig(url string) Config {
	config := DefaultConfig()
	config.Source = "/test"
	config.Database.URL = "postgres:///given"
	config.Database.Reconnect = Range{Floor: 10 * time.Millisecond, Ceiling: 100 * time.Millisecond}
	config.Database.CallTimeout = 5 * time.Second
	config.Recovery.Every = 50 * time.Millisecond
	config.Defaults.Poll = Range{Floor: 5 * time.Millisecond, Ceiling: 50 * time.Millisecond}
	config.Defaults.Backoff = Range{Floor: 10 * time.Millisecond, Ceiling: 100 * time.Millisecond}
	config.Destinations = map[string]Destination{}
	for _, name := range everyDestination {
		config.Destinations[name] = Destination{URL: url, Delivery: config.Defaults}
	}
	return config
}

// dispatcherPool is a pool of a login that may dispatch and nothing else.
func dispatcherPool(t *testing.T, db *testdb.DB, config Config) *pgxpool.Pool {
	t.Helper()
	return preparedPool(t, db.LoginURL(t, "outbox_dispatcher"), config)
}

func preparedPool(t *testing.T, url string, config Config) *pgxpool.Pool {
	t.Helper()
	poolConfig, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	config.Database.Prepare(poolConfig)
	pool, err := pgxpool.NewWithConfig(t.Context(), poolConfig)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func consumers(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// appendEach appends n events for each destination alone, and n for two of them at once.
func appendEach(t *testing.T, db tap.Querier, n int) {
	t.Helper()
	for _, destination := range everyDestination {
		fixture.AppendMany(t, db, n, fixture.Type(fixture.PairFor(destination)))
	}
	fixture.AppendMany(t, db, n, fixture.Type(fixture.ResolutionApplied))
}

// await polls a condition that the dispatcher brings about. It is patient: the machine may be busy.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	limit := time.NewTimer(3 * time.Minute)
	defer limit.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-limit.C:
			t.Fatalf("never became true: %s", what)
		case <-tick.C:
		}
	}
}

// awaitPublished waits until every event is published.
func awaitPublished(t *testing.T, db tap.Querier) {
	t.Helper()
	await(t, "every event is published", func() bool {
		t.Helper()
		return tap.Value[bool](t, db, `select not exists (
			select from outbox.events as e where not exists (select from outbox.event_publications as p where p.event_id = e.event_id))`)
	})
}

// sound fails the test unless every invariant holds.
func sound(t *testing.T, db tap.Querier) {
	t.Helper()
	tap.IsEmpty(t, db, "select * from outbox.verify(p_canonical => true)")
}
