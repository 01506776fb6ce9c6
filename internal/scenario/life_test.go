package scenario

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
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

func TestLifeUsesEveryEventOfTheFirstRelease(t *testing.T) {
	used := map[string]string{}
	for _, transaction := range NewRun("life", 1).Life() {
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
	if !reflect.DeepEqual(NewRun("life", 1).Life(), NewRun("life", 1).Life()) {
		t.Error("the same seed tells another life")
	}
	for _, other := range []Run{NewRun("life", 2), NewRun("other", 1)} {
		if other.RunID == NewRun("life", 1).RunID || other.DimensionID() == NewRun("life", 1).DimensionID() {
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
	run := NewRun("life", 1)
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
	for _, transaction := range NewRun("life", 1).Life() {
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
	schemas, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	run := NewRun("life", 1)
	earlier := map[string]Appended{}
	for _, transaction := range run.Life() {
		stamps := slices.Repeat([]stamp{{eventID: id, occurredAt: "2026-11-30T00:00:00Z"}}, len(transaction.Events))
		envelopes, err := run.envelopes(transaction.Events, stamps, earlier)
		if err != nil {
			t.Fatal(err)
		}
		for i, raw := range envelopes {
			if _, err := schemas.ParseEnvelope([]byte(raw)); err != nil {
				t.Errorf("%s: %v", transaction.Events[i].Key, err)
			}
			earlier[transaction.Events[i].Key] = Appended{EventID: id}
		}
	}
}
