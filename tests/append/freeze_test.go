package append_test

import (
	"encoding/json"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestEventIsStoredWholeWithItsDigest(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	sent := fixture.Envelope(fixture.Full(), fixture.Payload(`{ "z": [1.0, "é"], "a": {"\ud83d\ude02": 1e2, "\uffff": null} }`))
	id := fixture.Append(t, db, sent)
	canonical, err := contracts.Canonical([]byte(sent))
	if err != nil {
		t.Fatal(err)
	}
	tap.RowEq(t, db, tap.Row{string(canonical), "jcs-sha256-v1", contracts.Sum(canonical)}, `
		select event_envelope, event_envelope_digest_algorithm_version, event_envelope_sha256 from outbox.events where event_id = $1`, id)
	var stored map[string]any
	if err := json.Unmarshal(canonical, &stored); err != nil {
		t.Fatal(err)
	}
	tap.RowEq(t, db, tap.Row{
		stored["eventType"], stored["eventSchemaVersion"], stored["aggregateId"], 1, stored["tenantKind"], stored["tenantId"], stored["workspaceId"],
		stored["projectId"], stored["actorPrincipalId"], stored["correlationId"], stored["causationId"], stored["operationId"], stored["traceId"],
		"2026-11-30T12:00:00.123456Z",
	}, `
		select event_type, event_schema_version, aggregate_id, aggregate_revision, tenant_kind, tenant_id, workspace_id, project_id,
			actor_principal_id, correlation_id, causation_id, operation_id, trace_id, outbox.rfc3339(occurred_at)
		from outbox.events where event_id = $1`, id)
}

func TestAbsentOptionalMembersAreNull(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	id := fixture.AppendNew(t, db)
	tap.RowEq(t, db, tap.Row{nil, nil, nil, nil}, "select project_id, actor_principal_id, causation_id, trace_id from outbox.events where event_id = $1", id)
}

func TestGoAndDatabaseDigestEveryEventPairAlike(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for _, pair := range []fixture.Pair{
		fixture.RunCreated, fixture.WalletReserved, fixture.EligibilityFinalized, fixture.RunClosed, fixture.ResolutionApplied, fixture.SettlementInputChanged,
	} {
		sent := fixture.Envelope(fixture.Type(pair), fixture.Full())
		canonical, err := contracts.Canonical([]byte(sent))
		if err != nil {
			t.Fatal(err)
		}
		tap.RowEq(t, db, tap.Row{contracts.Sum(canonical)}, "select event_envelope_sha256 from outbox.append_event($1::json)", sent)
	}
}

func TestEventFreezesTheActiveQuadruple(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	id := fixture.AppendNew(t, db)
	tap.RowEq(t, db, tap.Row{true}, `
		select (e.delivery_set_version, e.delivery_set_definition_schema_version, e.delivery_set_definition_digest_algorithm_version,
			e.delivery_set_definition_digest) = (v.delivery_set_version, v.delivery_set_definition_schema_version,
			v.delivery_set_definition_digest_algorithm_version, v.delivery_set_definition_digest)
		from outbox.events e, outbox.active_delivery_set a join outbox.delivery_set_versions v using (delivery_set_version)
		where e.event_id = $1`, id)
	tap.RowEq(t, db, tap.Row{contracts.FirstReleaseName, "f64a437a64e29d0ecefcd86ac76809d929a5203670d23a5010adf78f0a65e49f"}, `
		select delivery_set_version, encode(delivery_set_definition_digest, 'hex') from outbox.events where event_id = $1`, id)
}

func TestEventHasExactlyItsMandatoryDeliveries(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for destination, consumer := range map[string][3]string{
		fixture.Operations:  {"operations_projector", "OperationsProjectionAppliedReceipt", "operations_read_model"},
		fixture.Metering:    {"metering_input_processor_consumer", "MeteringInputProcessorConsumerReceipt"},
		fixture.Coordinator: {"billing_finalization_coordinator_consumer", "BillingFinalizationCoordinatorConsumerReceipt"},
		fixture.CatchUp:     {"billing_settlement_catch_up_consumer", "BillingSettlementCatchUpConsumerReceipt"},
	} {
		id := fixture.AppendNew(t, db, fixture.Type(fixture.PairFor(destination)))
		projection := tap.Row{nil, nil}
		if consumer[2] != "" {
			projection = tap.Row{consumer[2], "1"}
		}
		tap.ResultsEq(t, db, tap.Rows{append(tap.Row{
			destination, consumer[0], consumer[1], "1", contracts.FirstReleaseName, true, 1, "pending", 0, true, true,
		}, projection...)}, `
			select d.destination, d.consumer_name, d.expected_receipt_type, d.expected_receipt_schema_version, d.delivery_set_version, d.mandatory,
				d.generation, d.status, d.attempt_count, d.created_at = e.created_at, d.available_at = d.created_at, d.required_projection_name,
				d.required_projection_version
			from outbox.deliveries d join outbox.events e using (event_id) where event_id = $1`, id)
	}
	id := fixture.AppendNew(t, db, fixture.Type(fixture.ResolutionApplied))
	tap.SetEq(t, db, tap.Rows{{fixture.Coordinator}, {fixture.Operations}}, "select destination from outbox.deliveries where event_id = $1", id)
}

func TestMemberThatIsNotMandatoryGetsNoDelivery(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	governor, db := d.As(t, "outbox_governor"), d.Conn(t)
	relaxed := fixture.Definition("relaxed", func(definition fixture.Object) {
		for _, item := range definition["members"].([]any) {
			member := item.(fixture.Object)
			if member["eventType"] == fixture.ResolutionApplied.EventType && member["destination"] == fixture.Operations {
				member["mandatory"] = false
			}
		}
	})
	fixture.Register(t, governor, relaxed)
	fixture.Activate(t, governor, relaxed)
	id := fixture.AppendNew(t, db, fixture.Type(fixture.ResolutionApplied))
	tap.ResultsEq(t, db, tap.Rows{{fixture.Coordinator}}, "select destination from outbox.deliveries where event_id = $1", id)
	// It takes no part in publication either.
	claim := fixture.ClaimOne(t, db, fixture.Coordinator)
	tap.Is(t, fixture.Settle(t, db, fixture.Acknowledge(claim))[0].Result, "complete", "its only mandatory delivery")
	tap.IsEmpty(t, db, "select * from outbox.verify()")
}

func TestAppendedEventIsDescribed(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Login(t, "outbox_producer")
	sent := fixture.Envelope(fixture.Type(fixture.ResolutionApplied))
	canonical, err := contracts.Canonical([]byte(sent))
	if err != nil {
		t.Fatal(err)
	}
	var head contracts.Envelope
	if err := json.Unmarshal([]byte(sent), &head); err != nil {
		t.Fatal(err)
	}
	tap.RowEq(t, db, tap.Row{0, head.EventID, contracts.Sum(canonical), contracts.FirstReleaseName, 2}, `
		select item, event_id, event_envelope_sha256, delivery_set_version, delivery_count from outbox.append_event($1::json)`, sent)
}

func TestExpectedDigestIsCompared(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	sent := envelope()
	canonical, err := contracts.Canonical([]byte(sent))
	if err != nil {
		t.Fatal(err)
	}
	digest := contracts.Sum(canonical)
	const sql = "select outbox.append_event($1::json, $2, $3)"
	const both = "p_expected_digest_algorithm_version and p_expected_sha256 go together"
	for _, c := range []struct {
		algorithm, digest any
		detail            string
	}{
		{"jcs-sha256-v1", make([]byte, 32), "p_expected_sha256"},
		{"jcs-sha256-v1", digest[:31], "p_expected_sha256"},
		{"jcs-sha256-v1", []byte{}, "p_expected_sha256"},
		{"jcs-sha256-v2", digest[:], "p_expected_digest_algorithm_version"},
		{"", digest[:], "p_expected_digest_algorithm_version"},
		{"jcs-sha256-v1", nil, both},
		{nil, digest[:], both},
	} {
		quotesNothing(t, tap.ThrowsLike(t, db, "OX003", "expected_digest_matches", c.detail, sql, sent, c.algorithm, c.digest))
		nothingAppended(t, db)
	}
	tap.LivesOK(t, db, sql, sent, "jcs-sha256-v1", digest[:])
}
