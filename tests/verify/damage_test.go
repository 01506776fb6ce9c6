package verify_test

import (
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/verify/busy"
)

// rewritten sets an envelope and the digest that it then has.
func rewritten(envelope, event string) string {
	return "update outbox.events set event_envelope = " + envelope + ", event_envelope_sha256 = sha256(convert_to(" + envelope + ", 'UTF8'))" + where(event)
}

func TestDamagedEnvelopeIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	digest := violation{"envelope_digest_matches", v.Pending, ""}
	canonical, columns := violation{"envelope_is_canonical", v.Pending, ""}, violation{"envelope_matches_columns", v.Pending, ""}
	v.finds(t,
		damage{"text changed", "update outbox.events set event_envelope = replace(event_envelope, '12.50', '99.50')" + where(v.Pending), []violation{digest}},
		damage{"digest changed", "update outbox.events set event_envelope_sha256 = sha256('x')" + where(v.Pending), []violation{digest}},
		damage{"space added", rewritten(`replace(event_envelope, '"payload":{', '"payload":{ ')`, v.Pending), []violation{canonical}},
		damage{"members in another order", rewritten(`(event_envelope::jsonb)::text`, v.Pending), []violation{canonical, columns}},
		damage{"not JSON", rewritten("'not json'", v.Pending), []violation{canonical, columns}},
		damage{"not an object", rewritten("'[1]'", v.Pending), []violation{columns}},
		damage{"members of other types", rewritten(`'{"aggregateRevision":1.5,"eventId":{}}'`, v.Pending), []violation{columns}},
		damage{"text that is not NFC, judged once when it was appended", rewritten(`replace(event_envelope, '12.50', U&'e\0301')`, v.Pending), nil},
		damage{"a NUL", rewritten(`replace(event_envelope, '12.50', '\u0000')`, v.Pending), []violation{canonical}},
		damage{"a lone surrogate", rewritten(`replace(event_envelope, '12.50', '\ud800')`, v.Pending), []violation{canonical}},
		damage{"a member twice", rewritten(`replace(event_envelope, '"payload":{', '"payload":{"attempt":1,')`, v.Pending), []violation{canonical}},
		damage{"a number beyond a double", rewritten(`replace(event_envelope, '"attempt":1', '"attempt":1e999')`, v.Pending), []violation{canonical}},
		damage{"deep nesting", rewritten(`replace(event_envelope, '"attempt":1', '"attempt":' || repeat('[', 5000) || repeat(']', 5000))`, v.Pending), []violation{canonical}},
	)
}

func TestColumnThatDiffersFromTheEnvelopeIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	var all []damage
	for _, change := range []string{
		"aggregate_id = 'x'", "aggregate_revision = 2", "tenant_kind = 'personal_space'", "tenant_id = 'x'", "workspace_id = 'x'",
		"project_id = 'x'", "project_id = null", "actor_principal_id = 'x'", "actor_principal_id = null", "correlation_id = 'x'",
		"causation_id = 'x'", "causation_id = null", "operation_id = 'x'", "trace_id = 'x'", "trace_id = null",
		"occurred_at = occurred_at + interval '1 us'", "event_type = 'wallet.reserved@2.0'",
	} {
		all = append(all, damage{change, "update outbox.events set " + change + where(v.Pending), []violation{{"envelope_matches_columns", v.Pending, ""}}})
	}
	for _, change := range []string{"project_id = 'x'", "actor_principal_id = 'x'", "causation_id = 'x'", "trace_id = 'x'"} {
		all = append(all, damage{"added " + change, "update outbox.events set " + change + where(v.Leased), []violation{{"envelope_matches_columns", v.Leased, ""}}})
	}
	v.finds(t, all...)
}

func TestEventThatFrozeNothingRegisteredIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	frozen := violation{"delivery_set_is_complete", v.Pending, ""}
	member := violation{"delivery_is_frozen_member", v.Pending, fixture.Operations}
	columns := violation{"envelope_matches_columns", v.Pending, ""}
	set := func(change string) string { return "update outbox.events set " + change + where(v.Pending) }
	v.finds(t,
		damage{"version", set("delivery_set_version = 'x'"), []violation{frozen, member}},
		damage{"schema version", set("delivery_set_definition_schema_version = '2'"), []violation{frozen}},
		damage{"algorithm", set("delivery_set_definition_digest_algorithm_version = 'x'"), []violation{frozen}},
		damage{"digest", set("delivery_set_definition_digest = sha256('x')"), []violation{frozen}},
		damage{"event type", set("event_type = 'run.created@2'"), []violation{frozen, member, columns}},
		damage{"event schema version", set("event_schema_version = '2'"), []violation{frozen, member, columns}},
	)
}

func TestMissingExtraOrOtherDeliveryIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	member := violation{"delivery_is_frozen_member", v.Pending, fixture.Operations}
	all := []damage{
		{"the only one missing", "delete from outbox.deliveries" + where(v.Pending),
			[]violation{{"delivery_set_is_complete", v.Pending, fixture.Operations}}},
		{"one of two missing", "delete from outbox.deliveries" + where(v.HalfAcknowledged) + " and status = 'pending'",
			[]violation{
				{"delivery_set_is_complete", v.HalfAcknowledged, fixture.Coordinator},
				{"event_is_published_when_complete", v.HalfAcknowledged, ""},
			}},
		{"one extra", `
			insert into outbox.deliveries
			select (jsonb_populate_record(d, '{"destination": "metering_input_processor"}')).* from outbox.deliveries as d` + where(v.Pending),
			[]violation{{"delivery_is_frozen_member", v.Pending, fixture.Metering}}},
		{"rebound to another destination", "update outbox.deliveries set destination = 'metering_input_processor'" + where(v.Pending),
			[]violation{{"delivery_is_frozen_member", v.Pending, fixture.Metering}, {"delivery_set_is_complete", v.Pending, fixture.Operations}}},
	}
	for _, change := range []string{
		"consumer_name = 'x'", "delivery_set_version = 'x'", "expected_receipt_type = 'x'", "expected_receipt_schema_version = '2'",
		"required_projection_name = 'x'", "required_projection_version = '2'", "required_projection_name = null", "required_projection_version = null",
	} {
		all = append(all, damage{change, "update outbox.deliveries set " + change + where(v.Pending), []violation{member}})
	}
	v.finds(t, all...)
}

func TestPublicationThatDisagreesIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	publication := func(event string) []violation { return []violation{{"event_is_published_when_complete", event, ""}} }
	v.finds(t,
		damage{"missing", "delete from outbox.event_publications" + where(v.Published), publication(v.Published)},
		damage{"missing of two destinations", "delete from outbox.event_publications" + where(v.PublishedTwice), publication(v.PublishedTwice)},
		damage{"too early", "update outbox.event_publications set published_at = published_at - interval '1 day'" + where(v.Published), publication(v.Published)},
		damage{"of a pending event", "insert into outbox.event_publications values ('" + v.Pending + "', now())", publication(v.Pending)},
		damage{"of a half acknowledged event", "insert into outbox.event_publications values ('" + v.HalfAcknowledged + "', now())", publication(v.HalfAcknowledged)},
		damage{"of a quarantined event", "insert into outbox.event_publications values ('" + v.Quarantined + "', now())", publication(v.Quarantined)},
	)
}

func TestDamagedDefinitionIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	third := " where delivery_set_version = '" + busy.ThirdVersion + "'"
	tap.Exec(t, v.tx, "alter table outbox.delivery_set_members drop constraint required_projection_is_named")
	changes := []string{
		"update outbox.delivery_set_versions set delivery_set_definition_digest = sha256('x')" + third,
		"update outbox.delivery_set_versions set definition = replace(definition, 'operations_read_model', 'another_model')" + third,
		"update outbox.delivery_set_versions set definition = definition || ' '" + third,
		"update outbox.delivery_set_versions set definition = 'not json'" + third,
		"update outbox.delivery_set_versions set definition = '{}', delivery_set_definition_digest = sha256('{}')" + third,
		`update outbox.delivery_set_versions set definition = '{"members":3}'` + third,
		"delete from outbox.delivery_set_applicable_events" + third + " and event_type like 'run%'",
		"insert into outbox.delivery_set_applicable_events values ('" + busy.ThirdVersion + "', 'x@1', '1')",
		"update outbox.delivery_set_applicable_events set event_schema_version = '9'" + third + " and event_type like 'run%'",
		"delete from outbox.delivery_set_members" + third,
		"delete from outbox.delivery_set_members" + third + " and event_type like 'run%'",
		`insert into outbox.delivery_set_members
			select delivery_set_version, event_type, event_schema_version, 'metering_input_processor', 'metering_input_processor_consumer', mandatory,
				'MeteringInputProcessorConsumerReceipt', '1', 'not_applicable', null, null
			from outbox.delivery_set_members` + third + " and event_type like 'run%'",
	}
	for _, change := range []string{
		"destination = 'x'", "consumer_name = 'x'", "mandatory = false", "expected_receipt_type = 'x'", "expected_receipt_schema_version = '2'",
		"projection_target_state = 'not_applicable'", "projection_name = 'x'", "projection_version = '2'",
	} {
		changes = append(changes, "update outbox.delivery_set_members set "+change+third+" and event_type like 'run%'")
	}
	all := make([]damage, len(changes))
	for i, change := range changes {
		all[i] = damage{change, change, []violation{{"definition_matches_rows", "", ""}}}
	}
	v.finds(t, all...)
}

func TestMisplacedPointerIsFound(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	pointer := []violation{{"pointer_names_latest_activation", "", ""}}
	v.finds(t,
		damage{"older activation", "update outbox.active_delivery_set set activation_id = (select min(activation_id) from outbox.delivery_set_activations)", pointer},
		damage{"another version", "update outbox.active_delivery_set set delivery_set_version = '" + busy.ThirdVersion + "'", pointer},
		damage{"newer activation", `
			insert into outbox.delivery_set_activations (delivery_set_version, activated_at, activated_by, reason)
			select delivery_set_version, now(), 'x', 'by hand' from outbox.active_delivery_set`, pointer},
		damage{"gone", "delete from outbox.active_delivery_set", []violation{{"active_set_is_kept", "", ""}}},
	)
}
