package delivery_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

// Events and deliveries by hand: at commit an event has exactly the deliveries of the definition that it froze.

// copyEvent inserts a copy of an event as another one, with columns changed.
const copyEvent = `
	insert into outbox.events
	select (jsonb_populate_record(e, jsonb_build_object('event_id', $2::text, 'aggregate_id', $2::text) || $3::text::jsonb)).*
	from outbox.events as e where event_id = $1::text::uuid`

// copyDelivery inserts a copy of an event's delivery with columns changed.
const copyDelivery = `
	insert into outbox.deliveries
	select (jsonb_populate_record(d, $3::text::jsonb)).*
	from outbox.deliveries as d where event_id = $1::text::uuid and destination = $2`

func commitRefused(t *testing.T, tx pgx.Tx, sqlstate, invariant, detail string) {
	t.Helper()
	report := tap.Raised(t, tx.Commit(t.Context()), sqlstate, invariant)
	if report != nil {
		tap.Is(t, report.Detail, detail, "detail")
	}
}

func TestEventWithoutItsDeliveriesDoesNotCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer, fixture.Type(fixture.ResolutionApplied))
	for name, session := range insiders(t, w) {
		t.Run(name, func(t *testing.T) {
			id := fixture.NewID()
			tx := begin(t, session, "")
			tap.Exec(t, tx, copyEvent, event, id, "{}")
			commitRefused(t, tx, "OX040", "delivery_set_is_complete", "event "+id+", destination "+fixture.Coordinator)
		})
	}
	tap.RowEq(t, w.admin, tap.Row{1}, "select count(*) from outbox.events")
}

func TestEventWithOneDeliveryOfTwoDoesNotCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer, fixture.Type(fixture.ResolutionApplied))
	for _, session := range insiders(t, w) {
		id := fixture.NewID()
		tx := begin(t, session, "")
		tap.Exec(t, tx, copyEvent, event, id, "{}")
		tap.Exec(t, tx, copyDelivery, event, fixture.Coordinator, `{"event_id": "`+id+`"}`)
		commitRefused(t, tx, "OX040", "delivery_set_is_complete", "event "+id+", destination "+fixture.Operations)
	}
}

func TestEventByHandWithAllItsDeliveriesCommits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer, fixture.Type(fixture.ResolutionApplied))
	id := fixture.NewID()
	tx := begin(t, w.As(t, "outbox_owner"), "")
	tap.Exec(t, tx, copyEvent, event, id, "{}")
	for _, destination := range []string{fixture.Coordinator, fixture.Operations} {
		tap.Exec(t, tx, copyDelivery, event, destination, `{"event_id": "`+id+`"}`)
	}
	commit(t, tx)
}

func TestAskingForTheCheckAtOnceRefusesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer)
	tx := begin(t, w.As(t, "outbox_owner"), "")
	tap.Exec(t, tx, "set constraints all immediate")
	tap.Throws(t, tx, "OX040", "delivery_set_is_complete", copyEvent, event, fixture.NewID(), "{}")
	tap.Exec(t, tx, "set constraints all deferred")
	tap.Exec(t, tx, copyEvent, event, fixture.NewID(), "{}")
	tap.Throws(t, tx, "OX040", "delivery_set_is_complete", "set constraints all immediate")
}

func TestOneBadEventOfSeveralStopsTheTransaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer)
	owner := w.As(t, "outbox_owner")
	missing := fixture.NewID()
	for name, spoil := range map[string]func(tx pgx.Tx){
		"one delivery missing": func(tx pgx.Tx) { tap.Exec(t, tx, copyEvent, event, missing, "{}") },
		"one aliased type": func(tx pgx.Tx) {
			tap.Exec(t, tx, copyEvent, event, fixture.NewID(), `{"event_type": "run.created@2"}`)
		},
		"one of another schema version": func(tx pgx.Tx) {
			tap.Exec(t, tx, copyEvent, event, fixture.NewID(), `{"event_schema_version": "2"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			tx := begin(t, owner, "")
			tap.Exec(t, tx, "select outbox.append_event($1::text::json)", fixture.Envelope())
			spoil(tx)
			tap.Exec(t, tx, "select outbox.append_event($1::text::json)", fixture.Envelope())
			tap.Raised(t, tx.Commit(t.Context()), "OX040", "delivery_set_is_complete")
		})
	}
	tap.RowEq(t, w.admin, tap.Row{1}, "select count(*) from outbox.events")
}

// The event keeps all its deliveries: only the quadruple or the pair that it says it froze is wrong.
func TestEventThatFrozeNoRegisteredDefinitionDoesNotCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer)
	for name, session := range insiders(t, w) {
		for _, change := range []string{
			`{"delivery_set_version": "another"}`, `{"delivery_set_definition_schema_version": "2"}`,
			`{"delivery_set_definition_digest_algorithm_version": "jcs-sha256-v2"}`, `{"delivery_set_definition_digest": "\\x00"}`,
			`{"event_type": "Run.Created@2.0"}`, `{"event_type": "run.created"}`, `{"event_type": "billing.finalization.committed@1"}`,
			`{"event_schema_version": "2"}`,
		} {
			t.Run(name+" "+change, func(t *testing.T) {
				id := fixture.NewID()
				tx := begin(t, session, "")
				tap.Exec(t, tx, "alter table outbox.deliveries disable trigger delivery_is_frozen_member")
				tap.Exec(t, tx, copyEvent, event, id, change)
				tap.Exec(t, tx, copyDelivery, event, fixture.Operations, `{"event_id": "`+id+`"}`)
				report := tap.Raised(t, forceChecks(t, tx), "OX040", "delivery_set_is_complete")
				tap.Ok(t, report == nil || strings.HasPrefix(report.Detail, "event "+id), "detail names the event")
				rollback(t, tx)
			})
		}
	}
}

// forceChecks runs the deferred checks of a transaction that is to be rolled back.
func forceChecks(t *testing.T, tx pgx.Tx) error {
	t.Helper()
	_, err := tx.Exec(t.Context(), "set constraints all immediate")
	return err
}

func TestEventMustHashToItsDigest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer)
	for _, session := range insiders(t, w) {
		tap.Throws(t, session, "23514", "envelope_digest_matches", copyEvent, event, fixture.NewID(), `{"event_envelope": "{}"}`)
		tap.Throws(t, session, "23514", "envelope_digest_algorithm_is_known", copyEvent, event, fixture.NewID(),
			`{"event_envelope_digest_algorithm_version": "sha1"}`)
		tap.Throws(t, session, "23505", "events_pkey", copyEvent, event, fixture.NewID(), `{"event_id": "`+event+`"}`)
	}
}

func TestDeliveryThatIsNoMemberIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer)
	owner := w.As(t, "outbox_owner")
	tap.Exec(t, owner, "insert into outbox.destinations values ('audit', 'auditor', 'audit', 'OperationsProjectionAppliedReceipt', '1', false)")
	for name, session := range insiders(t, w) {
		for _, change := range []string{
			`{"destination": "audit", "consumer_name": "auditor"}`,
			`{"destination": "metering_input_processor", "consumer_name": "metering_input_processor_consumer"}`,
			`{"destination": "CORE_OPERATIONS"}`,
		} {
			t.Run(name+" "+change, func(t *testing.T) {
				tap.ThrowsLike(t, session, "OX040", "delivery_is_frozen_member", "delivery "+event+"/%", copyDelivery, event, fixture.Operations, change)
			})
		}
	}
}

func TestDeliveryThatDiffersFromItsMemberIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer)
	for name, session := range insiders(t, w) {
		for _, change := range []string{
			`{"consumer_name": "another"}`, `{"delivery_set_version": "another"}`, `{"expected_receipt_type": "Another"}`,
			`{"expected_receipt_schema_version": "2"}`, `{"required_projection_name": "operations_read_model_shadow"}`,
			`{"required_projection_version": "2"}`, `{"required_projection_name": null, "required_projection_version": null}`,
		} {
			t.Run(name+" "+change, func(t *testing.T) {
				id := fixture.NewID()
				tx := begin(t, session, "")
				tap.Exec(t, tx, copyEvent, event, id, "{}")
				merged := `{"event_id": "` + id + `", ` + change[1:]
				tap.ThrowsLike(t, tx, "OX040", "delivery_is_frozen_member", "delivery "+id+"/core_operations", copyDelivery, event, fixture.Operations, merged)
				rollback(t, tx)
			})
		}
		tap.Throws(t, session, "23514", "delivery_is_mandatory", copyDelivery, event, fixture.Operations, `{"mandatory": false}`)
		tap.Throws(t, session, "23514", "generation_is_first", copyDelivery, event, fixture.Operations, `{"generation": 2}`)
		tap.Throws(t, session, "23505", "deliveries_pkey", copyDelivery, event, fixture.Operations, `{}`)
	}
}

func TestDeliveryOfNoEventIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	event := fixture.AppendNew(t, w.producer)
	for _, session := range insiders(t, w) {
		tap.Throws(t, session, "23503", "delivery_has_event", copyDelivery, event, fixture.Operations, `{"event_id": "`+someID+`"}`)
	}
}

func TestDeliveryBeginsPendingAndUntouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	events := inEachState(t, w)
	sessions := insiders(t, w)
	for name, session := range sessions {
		for _, state := range []string{leased, recovered, acknowledged, quarantined} {
			t.Run(name+" "+state, func(t *testing.T) {
				id := fixture.NewID()
				tx := begin(t, session, "")
				tap.Exec(t, tx, copyEvent, events[state], id, "{}")
				tap.Throws(t, tx, "OX031", "delivery_begins_pending", copyDelivery, events[state], fixture.Operations, `{"event_id": "`+id+`"}`)
				rollback(t, tx)
			})
		}
		for _, change := range []string{
			`{"attempt_count": 1, "last_attempt_at": "2026-01-01T00:00:00Z"}`, `{"last_error_code": "timeout"}`, `{"last_error_ref": "ref"}`,
		} {
			t.Run(name+" "+change, func(t *testing.T) {
				id := fixture.NewID()
				tx := begin(t, session, "")
				tap.Exec(t, tx, copyEvent, events[pending], id, "{}")
				tap.Throws(t, tx, "OX031", "delivery_begins_pending", copyDelivery, events[pending], fixture.Operations,
					`{"event_id": "`+id+`", `+change[1:])
				rollback(t, tx)
			})
		}
	}
}
