package consumers_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/oceanway/outbox/internal/consumers"
)

func TestRedeliveryIsByteIdentical(t *testing.T) {
	run := newRun(t, "receiver", 1)
	ticks := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { ticks = ticks.Add(time.Second); return ticks }
	for kind, key := range map[consumers.Kind]string{
		consumers.KindMetering: "usage", consumers.KindCoordinator: "closure", consumers.KindCatchUp: "input S1",
	} {
		t.Run(string(kind), func(t *testing.T) {
			tracker := consumers.NewTracker()
			r := receiver(t, kind, consumers.ReceiverOptions{Clock: clock, Observe: tracker.Observe})
			l := write(t, kind, run, key, nil)
			_, first := post(t, r, l)
			_, second := post(t, r, l)
			if !bytes.Equal(first, second) {
				t.Errorf("first %s\nsecond %s", first, second)
			}
			equal(t, "applied", tracker.Times(kind, l.eventID), 1)
			equal(t, "receipts", r.Len(), 1)
		})
	}
}

func TestReceiptSurvivesLaterState(t *testing.T) {
	run := newRun(t, "receiver", 2)
	r := receiver(t, consumers.KindCatchUp, consumers.ReceiverOptions{})
	l := write(t, consumers.KindCatchUp, run, "input S1", nil)
	_, first := post(t, r, l)
	acknowledged(t, r, write(t, consumers.KindCatchUp, run, "input S2", nil))
	_, second := post(t, r, l)
	if !bytes.Equal(first, second) {
		t.Errorf("a later event changed the first receipt: %s", second)
	}
}

func TestConflictsAreNotRetryable(t *testing.T) {
	run := newRun(t, "receiver", 3)
	r := receiver(t, consumers.KindMetering, consumers.ReceiverOptions{})
	acknowledged(t, r, write(t, consumers.KindMetering, run, "usage", nil))
	for name, test := range map[string]struct {
		key, code string
		change    func(map[string]any)
	}{
		"the same event with another digest": {"usage", "payload_digest_conflict", func(e map[string]any) {
			e["occurredAt"] = "2026-11-30T10:11:13Z"
		}},
		"the same revision with another fact": {"usage", "identity_conflict", func(e map[string]any) {
			e["eventId"] = "0197f000-0000-7000-8000-000000000003"
			e["payload"].(map[string]any)["currentAvailabilityRef"] = "another"
		}},
		"another execution manifest": {"eligibility", "identity_conflict", func(e map[string]any) {
			e["payload"].(map[string]any)["attemptExecutionManifestRef"] = "another"
		}},
		"an unknown payload field": {"cost", "event_unprocessable", func(e map[string]any) {
			e["payload"].(map[string]any)["extra"] = 1
		}},
		"a missing payload field": {"cost", "event_unprocessable", func(e map[string]any) {
			delete(e["payload"].(map[string]any), "gatewayDeploymentId")
		}},
		"a digest of another algorithm": {"cost", "event_unprocessable", func(e map[string]any) {
			e["payload"].(map[string]any)["currentAvailabilityDigestAlgorithmVersion"] = "md5"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, r, write(t, consumers.KindMetering, run, test.key, test.change), "non_retryable", test.code)
		})
	}
	equal(t, "receipts", r.Len(), 1)
}

func TestEnvelopesAreDecodedStrictly(t *testing.T) {
	run := newRun(t, "receiver", 4)
	r := receiver(t, consumers.KindCatchUp, consumers.ReceiverOptions{})
	for name, test := range map[string]struct {
		code   string
		change func(map[string]any)
	}{
		"unknown field":          {"envelope_invariant_violated", func(e map[string]any) { e["extra"] = "x" }},
		"field in another case":  {"envelope_invariant_violated", func(e map[string]any) { e["EventID"] = e["eventId"] }},
		"null":                   {"envelope_invariant_violated", func(e map[string]any) { e["traceId"] = nil }},
		"missing field":          {"envelope_invariant_violated", func(e map[string]any) { delete(e, "operationId") }},
		"control character":      {"envelope_invariant_violated", func(e map[string]any) { e["operationId"] = "op\n1" }},
		"empty identifier":       {"envelope_invariant_violated", func(e map[string]any) { e["workspaceId"] = "" }},
		"upper-case id":          {"envelope_invariant_violated", func(e map[string]any) { e["eventId"] = "0197F000-0000-7000-8000-000000000003" }},
		"other envelope version": {"envelope_invariant_violated", func(e map[string]any) { e["envelopeSchemaVersion"] = "2" }},
		"revision zero":          {"envelope_invariant_violated", func(e map[string]any) { e["aggregateRevision"] = 0 }},
		"unknown event":          {"schema_unknown", func(e map[string]any) { e["eventType"] = "metering.settlement-input.changed@1" }},
		"another consumer's":     {"schema_unknown", func(e map[string]any) { e["eventType"] = "run.created@2.0" }},
		"unknown version":        {"version_unsupported", func(e map[string]any) { e["eventSchemaVersion"] = "1.1" }},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, r, write(t, consumers.KindCatchUp, run, "input S1", test.change), "non_retryable", test.code)
		})
	}
	t.Run("not canonical", func(t *testing.T) {
		l := write(t, consumers.KindCatchUp, run, "input S1", nil)
		l.body = append(l.body, '\n')
		refused(t, r, l, "non_retryable", "envelope_invariant_violated")
	})
	equal(t, "receipts", r.Len(), 0)
}

func TestWrongAddressesCarryNoVerdict(t *testing.T) {
	run := newRun(t, "receiver", 5)
	l := write(t, consumers.KindCatchUp, run, "input S1", nil)
	r := receiver(t, consumers.KindCatchUp, consumers.ReceiverOptions{})
	for name, test := range map[string]struct {
		status int
		change func(*http.Request)
	}{
		"GET":                 {http.StatusMethodNotAllowed, func(r *http.Request) { r.Method = http.MethodGet }},
		"other content type":  {http.StatusUnsupportedMediaType, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }},
		"other destination":   {http.StatusBadRequest, func(r *http.Request) { r.Header.Set("Outbox-Destination", "core_operations") }},
		"other consumer":      {http.StatusBadRequest, func(r *http.Request) { r.Header.Set("Outbox-Consumer", "operations_projector") }},
		"no digest":           {http.StatusBadRequest, func(r *http.Request) { r.Header.Del("Outbox-Envelope-Digest") }},
		"unknown algorithm":   {http.StatusBadRequest, func(r *http.Request) { r.Header.Set("Outbox-Envelope-Digest", "md5="+l.digest()) }},
		"digest of something": {http.StatusBadRequest, func(r *http.Request) { r.Header.Set("Outbox-Envelope-Digest", "jcs-sha256-v1="+letter{}.digest()) }},
	} {
		t.Run(name, func(t *testing.T) {
			request := l.request(t.Context(), "http://consumer.test/")
			test.change(request)
			w := httptest.NewRecorder()
			r.ServeHTTP(w, request)
			equal(t, "status", w.Code, test.status)
			if bytes.Contains(w.Body.Bytes(), []byte("non_retryable")) {
				t.Errorf("a wrong address must not quarantine: %s", w.Body)
			}
		})
	}
}

func TestConsumerFailsTwiceThenAnswers(t *testing.T) {
	run := newRun(t, "receiver", 6)
	faults := &consumers.Faults{}
	faults.Add(consumers.Rule{Destination: consumers.KindCatchUp, Action: consumers.FailBefore, Times: 2})
	r := receiver(t, consumers.KindCatchUp, consumers.ReceiverOptions{Faults: faults})
	l := write(t, consumers.KindCatchUp, run, "input S1", nil)
	refused(t, r, l, "retryable", "consumer_unavailable")
	refused(t, r, l, "retryable", "consumer_unavailable")
	equal(t, "receipts", r.Len(), 0)
	acknowledged(t, r, l)
}

func TestLostAnswerIsRepeated(t *testing.T) {
	for name, action := range map[string]consumers.Action{"dropped": consumers.DropAfter, "hung": consumers.HangAfter} {
		t.Run(name, func(t *testing.T) {
			run := newRun(t, "receiver", 7)
			faults := &consumers.Faults{}
			ctx, cancel := context.WithCancel(t.Context())
			faults.Add(consumers.Rule{Action: action, Times: 1, OnHit: func(consumers.Delivery) { cancel() }})
			r := receiver(t, consumers.KindCoordinator, consumers.ReceiverOptions{Faults: faults})
			server := httptest.NewServer(r)
			defer server.Close()
			l := write(t, consumers.KindCoordinator, run, "closure", nil)
			if response, err := server.Client().Do(l.request(ctx, server.URL)); err == nil {
				_ = response.Body.Close()
				t.Fatalf("an answer came: %s", response.Status)
			}
			first, ok := r.Receipt(l.eventID)
			if !ok {
				t.Fatal("nothing was committed")
			}
			_, answer := post(t, r, l)
			if !bytes.Contains(answer, first) {
				t.Errorf("the redelivery got another receipt: %s", answer)
			}
		})
	}
}

func TestHangBeforeLeavesNothing(t *testing.T) {
	run := newRun(t, "receiver", 8)
	faults := &consumers.Faults{}
	ctx, cancel := context.WithCancel(t.Context())
	faults.Add(consumers.Rule{Action: consumers.HangBefore, Times: 1, OnHit: func(consumers.Delivery) { cancel() }})
	r := receiver(t, consumers.KindCoordinator, consumers.ReceiverOptions{Faults: faults})
	server := httptest.NewServer(r)
	defer server.Close()
	if response, err := server.Client().Do(write(t, consumers.KindCoordinator, run, "closure", nil).request(ctx, server.URL)); err == nil {
		_ = response.Body.Close()
		t.Fatalf("an answer came: %s", response.Status)
	}
	equal(t, "receipts", r.Len(), 0)
}

func TestTrackerWaits(t *testing.T) {
	tracker := consumers.NewTracker()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tracker.Wait(ctx, consumers.KindCatchUp, "e1"); err == nil {
		t.Error("waited for nothing")
	}
	tracker.Observe(consumers.KindCatchUp, "e1")
	if err := tracker.Wait(ctx, consumers.KindCatchUp, "e1"); err != nil {
		t.Error(err)
	}
	if err := tracker.Wait(ctx, consumers.KindMetering, "e1"); err == nil {
		t.Error("one consumer's event counts for another")
	}
}

func TestReceiverOfAnUnknownDestination(t *testing.T) {
	for _, kind := range []consumers.Kind{consumers.KindOperations, "elsewhere"} {
		if _, err := consumers.NewReceiver(kind, consumers.ReceiverOptions{}); err == nil {
			t.Errorf("%s has a receiver", kind)
		}
	}
}
