package deliverysets_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// renewedProjection asks for the next version of the projection everywhere.
func renewedProjection(definition fixture.Object) {
	for i := range definition["members"].([]any) {
		target := item(definition, "members", i)["projectionTarget"].(fixture.Object)
		if target["state"] == "required" {
			target["projectionVersion"] = "2"
		}
	}
}

// renewed is a database whose active set asks for another projection than its pending event froze.
func renewed(t *testing.T) (d *testdb.DB, old, young string) {
	t.Helper()
	d = testdb.NewActive(t)
	db, governor := d.Conn(t), d.As(t, "outbox_governor")
	old = fixture.AppendNew(t, db)
	next := fixture.Definition("next", renewedProjection, fixture.DropEvent(fixture.WalletReserved))
	fixture.Register(t, governor, next)
	fixture.Activate(t, governor, next)
	return d, old, fixture.AppendNew(t, db)
}

func TestPendingEventKeepsTheDefinitionItFroze(t *testing.T) {
	t.Parallel()
	d, old, young := renewed(t)
	db := d.As(t, "outbox_dispatcher")
	claims := fixture.Claim(t, db, fixture.Operations, 10)
	tap.Is(t, len(claims), 2, "claims")
	for i, want := range []struct{ event, version, set string }{{old, "1", "2026-11-first-release"}, {young, "2", "next"}} {
		tap.Is(t, claims[i].EventID, want.event, "event")
		tap.Is(t, *claims[i].RequiredProjectionVersion, want.version, "projection version")
		tap.Is(t, claims[i].DeliverySetVersion, want.set, "delivery set")
	}
}

func TestAcknowledgementIsHeldToTheFrozenDefinition(t *testing.T) {
	t.Parallel()
	d, _, _ := renewed(t)
	db := d.As(t, "outbox_dispatcher")
	for i, claim := range fixture.Claim(t, db, fixture.Operations, 10) {
		wrong := fixture.Receipt(claim)
		wrong["projectionVersion"] = []string{"2", "1"}[i]
		answer := fixture.Settle(t, db, fixture.AcknowledgeWith(claim, fixture.Seal(claim, wrong)))[0]
		tap.Is(t, answer.Result, "invalid", "the projection version of the other definition")
		tap.Is(t, *answer.Detail, "receipt_matches_member: /receipt/projectionVersion", "why")
		tap.Is(t, fixture.Settle(t, db, fixture.Acknowledge(claim))[0].Result, "complete", "the one it froze")
	}
	tap.IsEmpty(t, d.Conn(t), "select * from outbox.verify()")
}

func TestFrozenMemberIsReadFromTheDelivery(t *testing.T) {
	t.Parallel()
	d, old, young := renewed(t)
	const sql = `
		select m.delivery_set_version, m.projection_target_state, m.projection_name, m.projection_version, m.consumer_name, m.mandatory, m.event_type,
			m.delivery_set_definition_digest = v.delivery_set_definition_digest
		from outbox.read_frozen_member($1, $2) m join outbox.delivery_set_versions v using (delivery_set_version)`
	db := d.As(t, "outbox_reader")
	tap.RowEq(t, db, tap.Row{"2026-11-first-release", "required", "operations_read_model", "1", "operations_projector", true, "run.created@2.0", true}, sql, old, fixture.Operations)
	tap.RowEq(t, db, tap.Row{"next", "required", "operations_read_model", "2", "operations_projector", true, "run.created@2.0", true}, sql, young, fixture.Operations)
	tap.IsEmpty(t, db, "select * from outbox.read_frozen_member($1, $2)", old, fixture.Metering)
	tap.IsEmpty(t, db, "select * from outbox.read_frozen_member($1, $2)", fixture.NewID(), fixture.Operations)
	tap.IsEmpty(t, db, "select * from outbox.read_frozen_member(null, null)")
}

func TestEventOfADroppedPairIsStillDelivered(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db, governor := d.Conn(t), d.As(t, "outbox_governor")
	fixture.AppendNew(t, db, fixture.Type(fixture.WalletReserved))
	next := fixture.Definition("next", fixture.DropEvent(fixture.WalletReserved))
	fixture.Register(t, governor, next)
	fixture.Activate(t, governor, next)
	claim := fixture.ClaimOne(t, db, fixture.Operations)
	tap.Is(t, fixture.Settle(t, db, fixture.Acknowledge(claim))[0].Result, "complete", "an event of the retired set")
}

func TestReplayedAppendAfterACutoverIsIdentical(t *testing.T) {
	t.Parallel()
	d, _, second := twoSets(t)
	db := d.Conn(t)
	sent := fixture.Envelope()
	event := fixture.Append(t, db, sent)
	fixture.Activate(t, d.As(t, "outbox_governor"), second)
	tap.ThrowsLike(t, db, "OX006", "event_is_appended_once", "identical", "select outbox.append_event($1::json)", sent)
	frozenBy(t, db, event, "first")
}
