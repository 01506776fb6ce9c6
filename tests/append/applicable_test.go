package append_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestNothingIsAppendedBeforeASetIsActive(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	db := d.Conn(t)
	refused(t, db, "OX004", "delivery_set_is_active", "outbox.active_delivery_set is empty", envelope())
	fixture.Register(t, d.As(t, "outbox_governor"), fixture.Definition("registered only"))
	refused(t, db, "OX004", "delivery_set_is_active", "outbox.active_delivery_set is empty", envelope())
}

func TestOnlyTheExactPairIsApplicable(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for _, pair := range []fixture.Pair{
		{EventType: "run.created@2.0", SchemaVersion: "2"}, {EventType: "run.created@2.0", SchemaVersion: "2.00"},
		{EventType: "run.created@2", SchemaVersion: "2.0"}, {EventType: "run.created@1.0", SchemaVersion: "1.0"},
		{EventType: "run.deleted@2.0", SchemaVersion: "2.0"},
	} {
		refused(t, db, "OX005", "event_is_applicable", "/eventType, delivery set 2026-11-first-release", envelope(fixture.Type(pair)))
	}
	report := tap.ThrowsLike(t, db, "OX005", "event_is_applicable", "/1/eventType, %", appendAllSQL,
		[]string{envelope(), envelope(fixture.Type(fixture.Pair{EventType: "run.created@3.0", SchemaVersion: "3.0"}))})
	quotesNothing(t, report)
	nothingAppended(t, db)
}

func TestRegisteredPairThatTheActiveSetLeavesOutIsNotApplicable(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	governor := d.As(t, "outbox_governor")
	smaller := fixture.Definition("smaller", fixture.DropEvent(fixture.WalletReserved))
	fixture.Register(t, governor, smaller)
	fixture.Activate(t, governor, smaller)
	refused(t, d.Conn(t), "OX005", "event_is_applicable", "/eventType, delivery set smaller", envelope(fixture.Type(fixture.WalletReserved)))
}

const assertSQL = "select outbox.assert_event_applicable($1, $2, $3::json)"

// resolutionMembers are the mandatory members of ResolutionApplied as a producer would expect them.
const resolutionMembers = `[
	{"destination":"core_operations","consumerName":"operations_projector","expectedReceiptType":"OperationsProjectionAppliedReceipt",
		"expectedReceiptSchemaVersion":"1","projectionTarget":{"state":"required","projectionName":"operations_read_model","projectionVersion":"1"}},
	{"destination":"billing_finalization_coordinator","consumerName":"billing_finalization_coordinator_consumer",
		"expectedReceiptType":"BillingFinalizationCoordinatorConsumerReceipt","expectedReceiptSchemaVersion":"1","projectionTarget":{"state":"not_applicable"}}]`

func TestProducerCanProveThatItsEventIsApplicable(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Login(t, "outbox_producer")
	pair := fixture.ResolutionApplied
	tap.LivesOK(t, db, "select outbox.assert_event_applicable($1, $2)", pair.EventType, pair.SchemaVersion)
	tap.LivesOK(t, db, assertSQL, pair.EventType, pair.SchemaVersion, resolutionMembers)
	for _, wrong := range [][2]string{{pair.EventType, "2"}, {"run.created", "2.0"}, {"", ""}} {
		tap.Throws(t, db, "OX005", "event_is_applicable", "select outbox.assert_event_applicable($1, $2)", wrong[0], wrong[1])
	}
	tap.Throws(t, db, "OX005", "event_is_applicable", "select outbox.assert_event_applicable(null, null)")
}

func TestProducerLearnsThatTheMembersDiffer(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Login(t, "outbox_producer")
	pair := fixture.ResolutionApplied
	for _, members := range []string{
		`[]`, `[{}]`, `[1]`, `[{"destination":"core_operations"}]`, resolutionMembers[:1] + `{"destination":"x"},` + resolutionMembers[1:],
	} {
		tap.Throws(t, db, "OX005", "mandatory_members_are_as_expected", assertSQL, pair.EventType, pair.SchemaVersion, members)
	}
	tap.Throws(t, db, "OX005", "mandatory_members_are_as_expected", assertSQL, fixture.RunCreated.EventType, fixture.RunCreated.SchemaVersion, resolutionMembers)
	for _, broken := range []string{`{}`, `1`, `null`, `[{"a":1,"a":1}]`} {
		tap.Throws(t, db, "OX023", "expected_members_are_array", assertSQL, pair.EventType, pair.SchemaVersion, broken)
	}
}

func TestProofNeedsAnActiveSet(t *testing.T) {
	t.Parallel()
	db := testdb.New(t).Login(t, "outbox_producer")
	tap.Throws(t, db, "OX004", "delivery_set_is_active", assertSQL, "run.created@2.0", "2.0", nil)
}
