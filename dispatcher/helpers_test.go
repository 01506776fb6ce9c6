package dispatcher

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
)

// roundTrip is a transport in one function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func response(status int, body string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// acknowledges answers a delivery as the operations projector does.
func acknowledges(r *http.Request) (*http.Response, error) {
	digest := strings.TrimPrefix(r.Header.Get("Outbox-Envelope-Digest"), contracts.DigestAlgorithm+"=")
	return response(200, acknowledgement(r.Header.Get("ce-id"), digest)), nil
}

// acknowledgement is a well-formed answer of the operations projector.
func acknowledgement(eventID, digest string) string {
	return acknowledgementOf(fixture.Operations, eventID, digest)
}

// acknowledgementOf is a well-formed answer of a destination's consumer.
func acknowledgementOf(destination, eventID, digest string) string {
	sum, err := hex.DecodeString(digest)
	if err != nil {
		panic(err)
	}
	pairs := map[string]fixture.Pair{
		fixture.Operations: fixture.RunCreated, fixture.Metering: fixture.EligibilityFinalized,
		fixture.Coordinator: fixture.RunClosed, fixture.CatchUp: fixture.SettlementInputChanged,
	}
	consumer, projection, version := destination+"_consumer", "operations_read_model", "1"
	if destination == fixture.Operations {
		consumer = "operations_projector"
	}
	claim := fixture.Claimed{
		EventID: eventID, EventType: pairs[destination].EventType, EventSchemaVersion: pairs[destination].SchemaVersion,
		Destination: destination, ConsumerName: consumer,
		EventEnvelopeDigestAlgorithmVersion: contracts.DigestAlgorithm, EventEnvelopeSha256: sum,
		ExpectedReceiptType: receiptTypes()[destination], ExpectedReceiptSchemaVersion: "1",
		RequiredProjectionName: &projection, RequiredProjectionVersion: &version,
	}
	receipt := fixture.Receipt(claim)
	return string(mustJSON(map[string]any{
		"result": contracts.Acknowledged, "ack": fixture.Ack(claim, receipt), "receipt": receipt,
	}))
}

// released are the schemas of this release.
var released = sync.OnceValue(func() *contracts.Registry {
	schemas, err := contracts.Load()
	if err != nil {
		panic(err)
	}
	return schemas
})

func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// testConfig is a valid configuration of these destinations.
func testConfig(names ...string) Config {
	config := DefaultConfig()
	config.Source = "/test"
	config.Worker = "tester"
	config.Database.URL = "postgres://unused"
	config.Destinations = map[string]Destination{}
	for _, name := range names {
		config.Destinations[name] = Destination{URL: "http://" + name + ".test/events", Delivery: config.Defaults}
	}
	return config
}

// running is a dispatcher at work.
type running struct {
	t      *testing.T
	cancel context.CancelFunc
	ended  chan error
}

// start runs a dispatcher.
func start(t *testing.T, config Config, db *fakeDB, transport roundTrip, options ...func(*Options)) *running {
	t.Helper()
	o := Options{Schemas: released(), Transport: func(string, Destination) http.RoundTripper { return transport }}
	for _, option := range options {
		option(&o)
	}
	d, err := assemble(config, db, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, cancel: cancel, ended: make(chan error, 1)}
	go func() {
		r.ended <- d.Run(ctx)
		close(r.ended)
	}()
	t.Cleanup(r.stop)
	return r
}

// stop stops it and waits for its end.
func (r *running) stop() {
	r.t.Helper()
	r.cancel()
	if err := <-r.ended; err != nil {
		r.t.Errorf("Run: %v", err)
	}
}

// slowly answers after a while, unless the call is given up.
func slowly(after time.Duration, then roundTrip) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		if !pause(r.Context(), after) {
			return nil, r.Context().Err()
		}
		return then(r)
	}
}

func hexDigest(text []byte) string {
	sum := contracts.Sum(text)
	return hex.EncodeToString(sum[:])
}

func readAll(t *testing.T, r io.Reader) []byte {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	return text
}
