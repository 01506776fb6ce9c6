package dispatcher

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/oceanway/outbox/contracts"
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
	return acknowledgementOf(operationsReceipt, "operations_projection", eventID, digest)
}

func acknowledgementOf(receiptType, kind, eventID, digest string) string {
	prefix := contracts.ReceiptPrefix(receiptType)
	receipt := map[string]any{
		prefix + "Ref":                        "receipt-1",
		prefix + "SchemaVersion":              "1",
		prefix + "DigestAlgorithmVersion":     contracts.DigestAlgorithm,
		"eventId":                             eventID,
		"eventEnvelopeDigestAlgorithmVersion": contracts.DigestAlgorithm,
		"eventEnvelopeSha256":                 digest,
		"appliedAt":                           "2026-11-01T00:00:00Z",
		"committedAt":                         "2026-11-01T00:00:00Z",
	}
	sum, err := contracts.ReceiptDigest(receiptType, mustJSON(receipt))
	if err != nil {
		panic(err)
	}
	receipt[prefix+"Digest"] = hex.EncodeToString(sum[:])
	return string(mustJSON(map[string]any{
		"result":  "acknowledged",
		"receipt": receipt,
		"ack": contracts.ActiveConsumerAck{
			Destination: "core_operations", ConsumerName: "operations_projector", EventID: eventID,
			EventEnvelopeDigestAlgorithmVersion: contracts.DigestAlgorithm, EventEnvelopeSha256: digest,
			AppliedReceipt: contracts.AppliedReceipt{
				ReceiptType: receiptType, Kind: kind, Ref: "receipt-1", SchemaVersion: "1",
				DigestAlgorithmVersion: contracts.DigestAlgorithm, Digest: hex.EncodeToString(sum[:]),
			},
		},
	}))
}

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
	o := Options{Transport: func(string, Destination) http.RoundTripper { return transport }}
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
