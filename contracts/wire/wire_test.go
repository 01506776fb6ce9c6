package wire_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/contracts/wire"
	"github.com/oceanway/outbox/tests/goldens"
)

// byHand lists the schemas whose structs package contracts has.
func byHand(schema string) bool {
	return slices.Contains([]string{"ActiveConsumerAck@1", "ConsumerVerdict@1", "EventEnvelope@1"}, schema)
}

func TestGoldensGoThroughTheirStructs(t *testing.T) {
	t.Parallel()
	for _, c := range goldens.ReadValid(t, "../goldens") {
		value := wire.New(c.Schema)
		if none := value == nil; none || byHand(c.Schema) {
			if none != byHand(c.Schema) {
				t.Errorf("New has a struct of %s: %t, wanted %t", c.Schema, !none, none)
			}
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(c.Document))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(value); err != nil {
			t.Errorf("%s/%s: %v", c.Schema, c.Name, err)
			continue
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Errorf("%s/%s: %v", c.Schema, c.Name, err)
			continue
		}
		if got, want := canonical(t, encoded), canonical(t, c.Document); got != want {
			t.Errorf("%s/%s:\n got %s\nwant %s", c.Schema, c.Name, got, want)
		}
	}
}

func canonical(t *testing.T, document []byte) string {
	t.Helper()
	text, err := contracts.Canonical(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
