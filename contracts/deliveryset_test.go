package contracts_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/oceanway/outbox/contracts"
)

// firstReleaseDigest is written out, so that no change of the released definition goes unseen.
const firstReleaseDigest = "f64a437a64e29d0ecefcd86ac76809d929a5203670d23a5010adf78f0a65e49f"

// operations, coordinator, metering and catchUp are the destinations of the source; every event
// type is an exact literal.
const (
	operations  = "core_operations operations_projector OperationsProjectionAppliedReceipt required"
	coordinator = "billing_finalization_coordinator billing_finalization_coordinator_consumer " +
		"BillingFinalizationCoordinatorConsumerReceipt not_applicable"
	metering = "metering_input_processor metering_input_processor_consumer " +
		"MeteringInputProcessorConsumerReceipt not_applicable"
	catchUp = "billing_settlement_catch_up billing_settlement_catch_up_consumer " +
		"BillingSettlementCatchUpConsumerReceipt not_applicable"
)

func firstReleaseMembers() map[string][]string {
	return map[string][]string{
		"run.created@2.0 2.0":                                        {operations},
		"wallet.reserved@2.0 2.0":                                    {operations},
		"billing.finalization.committed@1 1":                         {operations},
		"billing.settlement-transition.committed@1 1":                {operations},
		"billing.late-settlement-exposure.case-requested@1 1":        {operations},
		"billing.case-resolution.applied@1 1":                        {operations},
		"billing.late-settlement-command-result.committed@1 1":       {operations},
		"execution.attempt-eligibility.finalized@1 1":                {metering},
		"execution.run-finalization.closed@1 1":                      {coordinator},
		"billing.finalization-reconciliation.case-requested@1 1":     {operations},
		"billing.finalization-reconciliation-resolution.applied@1 1": {coordinator, operations},
		"gateway.evidence-availability.current-changed@1 1":          {metering},
		"metering.settlement-input.current-changed@1 1":              {catchUp},
	}
}

type definition struct {
	DeliverySetVersion                          string `json:"deliverySetVersion"`
	DeliverySetDefinitionSchemaVersion          string `json:"deliverySetDefinitionSchemaVersion"`
	DeliverySetDefinitionDigestAlgorithmVersion string `json:"deliverySetDefinitionDigestAlgorithmVersion"`
	DeliverySetDefinitionDigest                 string `json:"deliverySetDefinitionDigest"`
	ApplicableEventCount                        int    `json:"applicableEventCount"`
	ApplicableEvents                            []event
	MemberCount                                 int `json:"memberCount"`
	Members                                     []member
}

type event struct{ EventType, EventSchemaVersion string }

type member struct {
	event
	Destination, ConsumerName, ExpectedReceiptType, ExpectedReceiptSchemaVersion string
	ProjectionTarget                                                             struct {
		State, ProjectionName, ProjectionVersion string
	}
	Mandatory bool
}

func decode(t *testing.T, text []byte) definition {
	t.Helper()
	var d definition
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFirstReleaseHoldsExactlyTheSourcesMembers(t *testing.T) {
	d := decode(t, contracts.FirstRelease())
	got := map[string][]string{}
	for _, m := range d.Members {
		key := m.EventType + " " + m.EventSchemaVersion
		got[key] = append(got[key], strings.Join(
			[]string{m.Destination, m.ConsumerName, m.ExpectedReceiptType, m.ProjectionTarget.State}, " "))
		if !m.Mandatory || m.ExpectedReceiptSchemaVersion != "1" {
			t.Errorf("%s to %s is not mandatory with a receipt of schema 1", key, m.Destination)
		}
		wantsProjection := m.ProjectionTarget.State == "required"
		if wantsProjection != (m.ProjectionTarget.ProjectionName == "operations_read_model" && m.ProjectionTarget.ProjectionVersion == "1") {
			t.Errorf("%s to %s has the projection target %+v", key, m.Destination, m.ProjectionTarget)
		}
	}
	want := firstReleaseMembers()
	for key := range want {
		if !slices.Equal(got[key], want[key]) {
			t.Errorf("%s: got %q, want %q", key, got[key], want[key])
		}
	}
	if len(got) != len(want) || len(d.Members) != 14 || len(d.ApplicableEvents) != 13 {
		t.Errorf("%d events with members, %d members, %d events", len(got), len(d.Members), len(d.ApplicableEvents))
	}
	for _, e := range d.ApplicableEvents {
		if _, ok := want[e.EventType+" "+e.EventSchemaVersion]; !ok {
			t.Errorf("%+v is applicable, but not of the source", e)
		}
	}
}

func TestFirstReleaseIsCountedAndSorted(t *testing.T) {
	d := decode(t, contracts.FirstRelease())
	if d.ApplicableEventCount != len(d.ApplicableEvents) || d.MemberCount != len(d.Members) {
		t.Error("the counts differ from the arrays")
	}
	strictly := func(name string, keys [][]string) {
		for i := 1; i < len(keys); i++ {
			if compareKeys(keys[i-1], keys[i]) >= 0 {
				t.Errorf("%s: %v is not before %v", name, keys[i-1], keys[i])
			}
		}
	}
	var events, members [][]string
	for _, e := range d.ApplicableEvents {
		events = append(events, []string{e.EventType, e.EventSchemaVersion})
	}
	for _, m := range d.Members {
		members = append(members, []string{m.EventType, m.EventSchemaVersion, m.Destination, m.ConsumerName})
	}
	strictly("applicableEvents", events)
	strictly("members", members)
}

// compareKeys compares key tuples by UTF-16 code units.
func compareKeys(a, b []string) int {
	return slices.CompareFunc(a, b, func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
}

func TestGoldensMatchTheDefinitions(t *testing.T) {
	files, err := fs.Glob(contracts.DeliverySets, "delivery-sets/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	r := registry(t)
	for _, file := range files {
		text, err := contracts.DeliverySets.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := r.Candidate(contracts.DefinitionSchema, text)
		if err != nil {
			t.Fatal(err)
		}
		digest := contracts.Sum(canonical)
		stem := strings.TrimSuffix(file, ".json")
		sum := hex.EncodeToString(digest[:])
		if d := decode(t, text); d.DeliverySetDefinitionDigest != sum || d.DeliverySetVersion != path.Base(stem) ||
			d.DeliverySetDefinitionDigestAlgorithmVersion != contracts.DigestAlgorithm || d.DeliverySetDefinitionSchemaVersion != "1" {
			t.Errorf("%s names itself %s and its digest %s, computed is %s", file, d.DeliverySetVersion, d.DeliverySetDefinitionDigest, sum)
		}
		equalsFile(t, stem+".canonical", canonical)
		equalsFile(t, stem+".sha256", []byte(sum+"  "+path.Base(stem)+".canonical\n"))
	}
}

func equalsFile(t *testing.T, name string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what `go generate ./contracts` writes", name)
	}
}

func TestFirstReleaseNeverChanges(t *testing.T) {
	identity, err := contracts.ParseDefinitionIdentity(contracts.FirstRelease())
	if err != nil {
		t.Fatal(err)
	}
	want := contracts.DefinitionIdentity{
		DeliverySetVersion:                          contracts.FirstReleaseName,
		DeliverySetDefinitionSchemaVersion:          "1",
		DeliverySetDefinitionDigestAlgorithmVersion: "jcs-sha256-v1",
		DeliverySetDefinitionDigest:                 firstReleaseDigest,
	}
	if identity != want {
		t.Errorf("got %+v, want %+v", identity, want)
	}
}

func TestDefinitionDigestLeavesOutOnlyTheDigest(t *testing.T) {
	r := registry(t)
	first, err := r.Digest(contracts.DefinitionSchema, []byte(`{"a": 1, "deliverySetDefinitionDigest": "x"}`))
	if err != nil {
		t.Fatal(err)
	}
	same, err := r.Digest(contracts.DefinitionSchema, []byte(`{"deliverySetDefinitionDigest": null, "a": 1.0}`))
	if err != nil || first != same {
		t.Errorf("the digest covers itself: %v", err)
	}
	if want := contracts.Sum([]byte(`{"a":1}`)); first != want {
		t.Errorf("got %x, want %x", first, want)
	}
	other, err := r.Digest(contracts.DefinitionSchema, []byte(`{"a": 1, "b": {"deliverySetDefinitionDigest": "x"}}`))
	if err != nil || other == first {
		t.Errorf("a nested member was left out too: %v", err)
	}
}
