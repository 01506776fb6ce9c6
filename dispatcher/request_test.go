package dispatcher

import (
	"net/textproto"
	"strings"
	"testing"
	"time"
)

func sample() Claimed {
	name, version := "operations_overview", "7"
	return Claimed{
		EventID: "0192f3a1-0000-7000-8000-000000000001", Destination: "core_operations", ConsumerName: "operations_projector",
		AttemptID: "0192f3a1-0000-7000-8000-000000000002", AttemptCount: 3, EventType: "run.created@2.0", AggregateID: `Lauf 7 "é" 100%`,
		EventEnvelope:                       []byte(`{"occurredAt":"2026-11-01T00:00:00.123456789Z","payload":{}}`),
		EventEnvelopeDigestAlgorithmVersion: "jcs-sha256-v1", EventEnvelopeSha256: strings.Repeat("12", 32),
		DeliverySetVersion: "2026-11-first-release", DeliverySetDefinitionDigestAlgorithmVersion: "jcs-sha256-v1",
		DeliverySetDefinitionDigest: strings.Repeat("ab", 32), RequiredProjectionName: &name, RequiredProjectionVersion: &version,
	}
}

func TestHeaders(t *testing.T) {
	c := sample()
	got := headers("/producers/core", &c, time.Unix(1793491200, 999))
	want := map[string]string{
		"Content-Type":           "application/json",
		"Accept":                 "application/json",
		"User-Agent":             "outbox",
		"Outbox-Destination":     "core_operations",
		"Outbox-Consumer":        "operations_projector",
		"Outbox-Attempt-Id":      "0192f3a1-0000-7000-8000-000000000002",
		"Outbox-Attempt-Count":   "3",
		"Outbox-Envelope-Digest": "jcs-sha256-v1=" + strings.Repeat("12", 32),
		"Outbox-Delivery-Set":    "2026-11-first-release;jcs-sha256-v1=" + strings.Repeat("ab", 32),
		"Outbox-Projection":      "operations_overview;7",
		"ce-specversion":         "1.0",
		"ce-id":                  "0192f3a1-0000-7000-8000-000000000001",
		"ce-type":                "run.created@2.0",
		"ce-source":              "/producers/core",
		"ce-subject":             "Lauf%207%20%22%C3%A9%22%20100%25",
		"ce-time":                "2026-11-01T00:00:00.123456789Z",
		"webhook-id":             "0192f3a1-0000-7000-8000-000000000001-core_operations",
		"webhook-timestamp":      "1793491200",
	}
	for name, value := range want {
		if got.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, got.Get(name), value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d headers, want %d: %v", len(got), len(want), got)
	}
}

func TestPartsOfAHeaderCannotForgeTheirSeparator(t *testing.T) {
	c := sample()
	name, version := "a;b 100%", "1;ü"
	c.DeliverySetVersion, c.RequiredProjectionName, c.RequiredProjectionVersion = "v;jcs-sha256-v1=00", &name, &version
	got := headers("/p", &c, time.Now())
	for header, want := range map[string]string{
		"Outbox-Delivery-Set": "v%3Bjcs-sha256-v1=00;jcs-sha256-v1=" + strings.Repeat("ab", 32),
		"Outbox-Projection":   "a%3Bb%20100%25;1%3B%C3%BC",
	} {
		if got.Get(header) != want {
			t.Errorf("%s: %q, want %q", header, got.Get(header), want)
		}
	}
}

func TestHeadersWithoutProjection(t *testing.T) {
	c := sample()
	c.RequiredProjectionName, c.RequiredProjectionVersion = nil, nil
	if got := headers("/p", &c, time.Now()); len(got["Outbox-Projection"]) > 0 {
		t.Errorf("a projection nobody asked for: %v", got)
	}
}

func TestWebhookIDStaysTheSameOverRetriesAndHasNoDot(t *testing.T) {
	first, again := sample(), sample()
	again.AttemptID, again.AttemptCount = "another", 4
	a, b := headers("/p", &first, time.Unix(1, 0)), headers("/p", &again, time.Unix(2, 0))
	if a.Get("webhook-id") != b.Get("webhook-id") || strings.Contains(a.Get("webhook-id"), ".") {
		t.Errorf("%q and %q", a.Get("webhook-id"), b.Get("webhook-id"))
	}
	if a.Get("webhook-timestamp") == b.Get("webhook-timestamp") {
		t.Error("the timestamp is not the attempt's")
	}
}

func TestEscapeKeepsHeadersValid(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"plain-ASCII_~!#@;=": "plain-ASCII_~!#@;=",
		"Euro € 😀":           "Euro%20%E2%82%AC%20%F0%9F%98%80",
		"a\r\nb: c\x00\x7f":  "a%0D%0Ab:%20c%00%7F",
		`"quoted" 100%`:      "%22quoted%22%20100%25",
		"\xff":               "%FF",
	} {
		got := escape(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q leaves %q", text, got)
		}
	}
}

func TestHeaderNamesAreCanonical(t *testing.T) {
	c := sample()
	for name := range headers("/p", &c, time.Now()) {
		if name != textproto.CanonicalMIMEHeaderKey(name) {
			t.Errorf("%q would be sent twice when set again", name)
		}
	}
}
