package append_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// payloadOf is an envelope whose payload is valid but for the edit.
func payloadOf(pair fixture.Pair, edit func(payload fixture.Object)) string {
	payload := maps.Clone(fixture.Members(fixture.Type(pair))["payload"].(fixture.Object))
	payload["tenantId"] = secret
	edit(payload)
	return envelope(fixture.Type(pair), fixture.With("payload", payload))
}

// set is the edit that sets a member of the payload, drop the one that takes some away.
func set(member string, value any) func(fixture.Object) {
	return func(payload fixture.Object) { payload[member] = value }
}

func drop(members ...string) func(fixture.Object) {
	return func(payload fixture.Object) {
		for _, member := range members {
			delete(payload, member)
		}
	}
}

func TestPayloadsThatTheirSchemaAcceptsAreAppended(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	predecessor := fixture.Object{
		"state": "supersedes", "ref": "s-1", "schemaVersion": "1", "digestAlgorithmVersion": "jcs-sha256-v1",
		"digest": strings.Repeat("a", 64), "stateVersion": 1,
	}
	for _, sent := range []string{
		payloadOf(fixture.SettlementInputChanged, drop()), payloadOf(fixture.ResolutionApplied, drop()), payloadOf(fixture.CaseRequested, drop()),
		payloadOf(fixture.SettlementInputChanged, set("projectId", secret)),
		payloadOf(fixture.SettlementInputChanged, set("supersedesSettlementInputSnapshot", predecessor)),
		payloadOf(fixture.SettlementInputChanged, set("settlementEconomicIdentity", fixture.Object{"kind": "money", "currency": "EUR"})),
		payloadOf(fixture.SettlementInputChanged, set("currentSettlementInputStateVersion", 9007199254740991)),
	} {
		accepted(t, d, sent)
	}
	tap.SetEq(t, d.Conn(t), tap.Rows{
		{fixture.SettlementInputChanged.EventType, "SettlementInputCurrentChanged@1"},
		{fixture.ResolutionApplied.EventType, "FinalizationReconciliationResolutionAppliedEvent@1"},
		{fixture.CaseRequested.EventType, "FinalizationReconciliationCaseRequestedEvent@1"},
	}, "select event_type, payload_schema from contracts.event_types where payload_schema is not null")
}

// payloadFaults are one fault of each kind that the payload schemas know.
var payloadFaults = []struct {
	rule, path string
	pair       fixture.Pair
	edit       func(fixture.Object)
}{
	{"member_is_known", "/note", fixture.SettlementInputChanged, set("note", secret)},
	{"member_is_known", "/a~1b~0c", fixture.CaseRequested, set("a/b~c", secret)},
	{"member_is_present", "/runId", fixture.SettlementInputChanged, drop("runId")},
	{"member_is_present", "/currentSettlementInputSnapshotDigest", fixture.SettlementInputChanged, drop(
		"currentSettlementInputSnapshotRef", "currentSettlementInputSnapshotSchemaVersion",
		"currentSettlementInputSnapshotDigestAlgorithmVersion", "currentSettlementInputSnapshotDigest",
	)},
	{"quartet_is_complete", "/currentSettlementInputSnapshotDigest", fixture.SettlementInputChanged, drop("currentSettlementInputSnapshotDigest")},
	{"quartet_is_complete", "/billingFinalizationDecisionRef", fixture.CaseRequested, drop("billingFinalizationDecisionRef")},
	{"type_is_right", "/runId", fixture.SettlementInputChanged, set("runId", 1)},
	{"type_is_right", "/projectId", fixture.SettlementInputChanged, set("projectId", nil)},
	{"type_is_right", "/currentSettlementInputStateVersion", fixture.SettlementInputChanged, set("currentSettlementInputStateVersion", "1")},
	{"type_is_right", "/currentSettlementInputStateVersion", fixture.SettlementInputChanged, set("currentSettlementInputStateVersion", 1.5)},
	{"type_is_right", "/settlementEconomicIdentity", fixture.SettlementInputChanged, set("settlementEconomicIdentity", secret)},
	{"value_is_expected", "/action", fixture.ResolutionApplied, set("action", secret)},
	{"value_is_expected", "/resolutionRevision", fixture.ResolutionApplied, set("resolutionRevision", 2)},
	{"value_is_expected", "/currentSettlementInputSnapshotDigestAlgorithmVersion", fixture.SettlementInputChanged, set(
		"currentSettlementInputSnapshotDigestAlgorithmVersion", "jcs-sha256-v2",
	)},
	{"value_is_listed", "/tenantKind", fixture.SettlementInputChanged, set("tenantKind", secret)},
	{"branch_is_known", "/settlementEconomicIdentity/kind", fixture.SettlementInputChanged, set(
		"settlementEconomicIdentity", fixture.Object{"kind": secret},
	)},
	{"member_is_present", "/settlementEconomicIdentity/kind", fixture.SettlementInputChanged, set("settlementEconomicIdentity", fixture.Object{})},
	{"member_is_known", "/supersedesSettlementInputSnapshot/ref", fixture.SettlementInputChanged, set(
		"supersedesSettlementInputSnapshot", fixture.Object{"state": "root", "ref": secret},
	)},
	{"member_is_present", "/settlementEconomicIdentity/currency", fixture.SettlementInputChanged, set(
		"settlementEconomicIdentity", fixture.Object{"kind": "money"},
	)},
	{"text_matches_pattern", "/settlementEconomicIdentity/currency", fixture.SettlementInputChanged, set(
		"settlementEconomicIdentity", fixture.Object{"kind": "money", "currency": secret},
	)},
	{"text_matches_pattern", "/runId", fixture.SettlementInputChanged, set("runId", secret+"\n")},
	{"text_matches_pattern", "/currentSettlementInputSnapshotDigest", fixture.SettlementInputChanged, set(
		"currentSettlementInputSnapshotDigest", strings.Repeat("A", 64),
	)},
	{"text_length_within_bounds", "/runId", fixture.SettlementInputChanged, set("runId", "")},
	{"text_length_within_bounds", "/runId", fixture.SettlementInputChanged, set("runId", secret+strings.Repeat("x", 256))},
	{"number_within_bounds", "/currentSettlementInputStateVersion", fixture.SettlementInputChanged, set("currentSettlementInputStateVersion", 0)},
	{"number_within_bounds", "/reconciliationGeneration", fixture.CaseRequested, set("reconciliationGeneration", 9007199254740992)},
}

func TestPayloadThatBreaksItsSchemaIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for _, c := range payloadFaults {
		refused(t, db, "OX001", c.rule, "/payload"+c.path, payloadOf(c.pair, c.edit))
		quotesNothing(t, tap.ThrowsLike(t, db, "OX001", c.rule, "/1/payload"+c.path, appendAllSQL, []string{envelope(), payloadOf(c.pair, c.edit)}))
	}
	nothingAppended(t, db)
}

func TestFirstFaultOfAPayloadIsReported(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	worse := func(payload fixture.Object) {
		payload["runId"], payload["note"], payload["billingAccountId"] = "", secret, strings.Repeat("\n", 257)
	}
	// By path, and of one path by rule.
	refused(t, db, "OX001", "text_length_within_bounds", "/payload/billingAccountId", payloadOf(fixture.CaseRequested, worse))
	// By item before that.
	quotesNothing(t, tap.ThrowsLike(t, db, "OX001", "member_is_present", "/1/payload/runId", appendAllSQL, []string{
		envelope(), payloadOf(fixture.SettlementInputChanged, drop("runId")), payloadOf(fixture.CaseRequested, worse),
	}))
	nothingAppended(t, db)
}

func TestPayloadIsReadBeforeItsSchemaJudgesIt(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for _, c := range []struct{ sqlstate, rule, path, payload string }{
		{"OX001", "no_duplicate_key", "/payload/runId", `{"runId":"` + secret + `","runId":"b"}`},
		{"OX001", "text_is_nfc", "/payload/runId", `{"runId":"e\u0301"}`},
		{"OX002", "number_is_exact", "/payload/currentSettlementInputStateVersion", `{"currentSettlementInputStateVersion":9007199254740993}`},
	} {
		refused(t, db, c.sqlstate, c.rule, c.path, envelope(fixture.Type(fixture.SettlementInputChanged), fixture.Payload(c.payload)))
	}
}

func TestPayloadOfATypeWithoutASchemaIsAnyObject(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	for _, pair := range []fixture.Pair{fixture.RunCreated, fixture.WalletReserved, fixture.EligibilityFinalized, fixture.RunClosed} {
		for _, payload := range []string{`{}`, `{"note":null,"":[[],{}]}`, `{"tenantKind":7}`} {
			accepted(t, d, envelope(fixture.Type(pair), fixture.Payload(payload)))
		}
	}
	refused(t, d.Conn(t), "OX001", "type_is_right", "/payload", envelope(fixture.Payload(`[]`)))
}

// newPair is registered by the tests below and reaches Operations.
var newPair = fixture.Pair{EventType: "settlement.identity.named@1", SchemaVersion: "1"}

const registerPairSQL = "insert into contracts.event_types (event_type, event_schema_version, producer, payload_schema) values ($1, $2, 'test', $3)"

// activatePair makes a set active that sends a pair to Operations.
func activatePair(t *testing.T, d *testdb.DB, pair fixture.Pair) {
	t.Helper()
	definition := fixture.Definition("with a new pair", func(definition fixture.Object) {
		for _, array := range []string{"applicableEvents", "members"} {
			var items []any
			for _, item := range definition[array].([]any) {
				items = append(items, item)
				// Behind it the new pair is in its place: "run." < "settlement." < "wallet.".
				if event := item.(fixture.Object); event["eventType"] == fixture.RunCreated.EventType {
					added := maps.Clone(event)
					added["eventType"], added["eventSchemaVersion"] = pair.EventType, pair.SchemaVersion
					items = append(items, added)
				}
			}
			definition[array] = items
		}
	})
	governor := d.As(t, "outbox_governor")
	fixture.Register(t, governor, definition)
	fixture.Activate(t, governor, definition)
}

func TestNewPairIsJudgedByTheSchemaItIsRegisteredWith(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	tap.LivesOK(t, d.As(t, "outbox_owner"), registerPairSQL, newPair.EventType, newPair.SchemaVersion, "SettlementEconomicIdentity@1")
	activatePair(t, d, newPair)
	for payload, fault := range map[string][2]string{
		`{"kind":"` + secret + `"}`:          {"branch_is_known", "/payload/kind"},
		`{}`:                                 {"member_is_present", "/payload/kind"},
		`{"kind":"credits","unit":"tokens"}`: {"member_is_known", "/payload/unit"},
	} {
		refused(t, d.Conn(t), "OX001", fault[0], fault[1], envelope(fixture.Type(newPair), fixture.Payload(payload)))
	}
	accepted(t, d, envelope(fixture.Type(newPair), fixture.Payload(`{"kind":"entitlement","entitlementKey":"seats","unit":"seat"}`)))
}

func TestNewPairWithoutASchemaTakesAnyObject(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	tap.LivesOK(t, d.As(t, "outbox_owner"), registerPairSQL, newPair.EventType, newPair.SchemaVersion, nil)
	activatePair(t, d, newPair)
	accepted(t, d, envelope(fixture.Type(newPair), fixture.Payload(`{"kind":"unknown"}`)))
}

func TestPayloadSchemaMustBeRegistered(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	for _, schema := range []string{"SettlementEconomicIdentity@2", "SettlementEconomicIdentity", ""} {
		tap.Throws(t, d.As(t, "outbox_owner"), "23503", "payload_schema_is_registered", registerPairSQL, newPair.EventType, newPair.SchemaVersion, schema)
	}
	tap.Throws(t, d.Login(t, "outbox_producer"), "42501", "", registerPairSQL, newPair.EventType, newPair.SchemaVersion, nil)
}
