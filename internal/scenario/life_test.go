package scenario

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
)

type definition struct {
	ApplicableEvents []struct {
		EventType          string `json:"eventType"`
		EventSchemaVersion string `json:"eventSchemaVersion"`
	} `json:"applicableEvents"`
	Members []struct {
		EventType   string `json:"eventType"`
		Destination string `json:"destination"`
	} `json:"members"`
}

func firstRelease(t *testing.T) definition {
	t.Helper()
	var d definition
	if err := json.Unmarshal(contracts.FirstRelease(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// schemas are those of this release.
var schemas = sync.OnceValue(func() *contracts.Registry {
	loaded, err := contracts.Load()
	if err != nil {
		panic(err)
	}
	return loaded
})

func newRun(t *testing.T, seed string, number int) Run {
	t.Helper()
	run, err := NewRun(schemas(), seed, number)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestLifeUsesEveryEventOfTheFirstRelease(t *testing.T) {
	used := map[string]string{}
	for _, transaction := range newRun(t, "life", 1).Life() {
		for _, event := range transaction.Events {
			used[event.Type] = event.Version
		}
	}
	released := map[string]string{}
	for _, pair := range firstRelease(t).ApplicableEvents {
		released[pair.EventType] = pair.EventSchemaVersion
	}
	if len(released) != 13 || !maps.Equal(used, released) {
		t.Errorf("used %v, released %v", used, released)
	}
}

func TestLifeIsDeterministic(t *testing.T) {
	if !reflect.DeepEqual(newRun(t, "life", 1).Life(), newRun(t, "life", 1).Life()) {
		t.Error("the same seed tells another life")
	}
	for _, other := range []Run{newRun(t, "life", 2), newRun(t, "other", 1)} {
		if other.RunID == newRun(t, "life", 1).RunID || other.DimensionID() == newRun(t, "life", 1).DimensionID() {
			t.Error("two runs share an identity")
		}
	}
}

// The operations projection applies an aggregate's revisions without gaps; a finalization brings its dimension to 1.
func TestOperationsRevisionsAreContiguous(t *testing.T) {
	operations := map[string]bool{}
	for _, m := range firstRelease(t).Members {
		operations[m.EventType] = operations[m.EventType] || m.Destination == string(consumers.KindOperations)
	}
	run := newRun(t, "life", 1)
	held := map[string]int64{}
	for _, transaction := range run.Life() {
		for _, event := range transaction.Events {
			if !operations[event.Type] {
				continue
			}
			if event.Revision != held[event.AggregateID]+1 {
				t.Errorf("%s: %s goes from %d to %d", event.Key, event.AggregateID, held[event.AggregateID], event.Revision)
			}
			held[event.AggregateID] = event.Revision
			if event.Key == "finalization" {
				held[run.DimensionID()] = 1
			}
		}
	}
}

func TestCausesAndAwaitsComeBefore(t *testing.T) {
	known := map[string]bool{"": true}
	for _, transaction := range newRun(t, "life", 1).Life() {
		for _, await := range transaction.Awaits {
			if !known[await.Key] {
				t.Errorf("%q awaits %q, which is not there yet", transaction.Name, await.Key)
			}
		}
		for _, event := range transaction.Events {
			if !known[event.CausedBy] {
				t.Errorf("%q is caused by %q, which is not there yet", event.Key, event.CausedBy)
			}
			if known[event.Key] {
				t.Errorf("two events have the key %q", event.Key)
			}
			known[event.Key] = true
		}
	}
}

func TestEnvelopesParse(t *testing.T) {
	const id = "0197f000-0000-7000-8000-000000000001"
	run := newRun(t, "life", 1)
	earlier := map[string]Appended{}
	for _, transaction := range run.Life() {
		stamps := slices.Repeat([]stamp{{eventID: id, occurredAt: "2026-11-30T00:00:00Z"}}, len(transaction.Events))
		envelopes, err := run.envelopes(transaction.Events, stamps, earlier)
		if err != nil {
			t.Fatal(err)
		}
		for i, raw := range envelopes {
			if _, err := schemas().ParseEnvelope([]byte(raw)); err != nil {
				t.Errorf("%s: %v", transaction.Events[i].Key, err)
			}
			earlier[transaction.Events[i].Key] = Appended{EventID: id}
		}
	}
}

// The operation of an envelope is the one that its payload names, and what has a namespace is derived by it.
func TestIdentifiersAreDerived(t *testing.T) {
	run := newRun(t, "life", 1)
	derive := func(namespace string, candidate object) string {
		raw, err := json.Marshal(candidate)
		if err != nil {
			t.Fatal(err)
		}
		id, err := schemas().DeriveID(namespace, raw)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	finalization := func(generation int, trigger string) string {
		digest := run.address("billingFinalizationTriggerSnapshot", trigger)["billingFinalizationTriggerSnapshotDigest"]
		return derive("billing_finalization_operation", object{
			"billingReservationId": run.ReservationID, "runId": run.RunID, "workGeneration": generation,
			"billingFinalizationTriggerSnapshotDigestAlgorithmVersion": contracts.DigestAlgorithm,
			"billingFinalizationTriggerSnapshotDigest":                 digest,
		})
	}
	decision := derive("finalization_resolution_operation", run.address("resolutionDecision", "1"))
	events := map[string]Event{}
	for _, transaction := range run.Life() {
		for _, event := range transaction.Events {
			events[event.Key] = event
		}
	}
	for _, test := range []struct{ key, name, want string }{
		{"case", "billingFinalizationOperationId", finalization(2, "held")},
		{"resolution", "resolutionOperationId", decision},
		{"finalization", "billingFinalizationOperationId", finalization(3, "resolved")},
	} {
		event := events[test.key]
		if event.Operation != test.want || event.Payload[test.name] != test.want {
			t.Errorf("%s: got %s and %v, want %s", test.key, event.Operation, event.Payload[test.name], test.want)
		}
	}
}
