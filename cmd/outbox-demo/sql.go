package main

// The demo's SQL beside the scenario's and the projector's. Everything but the last two statements runs on the
// producer's database; the reading there is done as outbox_reader.
const (
	sqlRegister = `select outbox.register_delivery_set($1::json, $2)`
	sqlActivate = `select outbox.activate_delivery_set($1, $2, $3, $4)`

	sqlProgress = `
select
    (select count(*) from outbox.event_overview where published_at is not null),
    coalesce((
        select json_object_agg(d.destination, d.statuses)
        from (
            select c.destination, json_object_agg(c.status, c.n) as statuses
            from (select destination, status, count(*) as n from outbox.delivery_overview group by destination, status) as c
            group by c.destination
        ) as d
    ), '{}')::text`

	sqlEvents = `
select
    event_id::text, event_type, encode(event_envelope_sha256, 'hex'), published_at is not null,
    delivery_set_version, delivery_set_definition_schema_version,
    delivery_set_definition_digest_algorithm_version, encode(delivery_set_definition_digest, 'hex')
from outbox.event_overview`

	sqlDeliveries = `
select
    event_id::text, destination, status, attempt_count, coalesce(ack_receipt_ref, ''), coalesce(encode(ack_receipt_digest, 'hex'), '')
from outbox.delivery_overview`

	sqlAttempts = `
select coalesce(outcome, 'unfinished'), coalesce(normalized_error_code, ''), count(*)
from outbox.attempt_overview
group by 1, 2
order by 1, 2`

	// Deliveries that the frozen definitions do not name, and members of frozen definitions that have no delivery. The
	// members are read from the canonical text that was digested, not from the tables that were made of it.
	sqlNotAsFrozen = `
with frozen as (
    select
        e.event_id, m ->> 'destination' as destination, m ->> 'consumerName' as consumer_name,
        m ->> 'expectedReceiptType' as receipt_type, m ->> 'expectedReceiptSchemaVersion' as receipt_schema_version,
        m -> 'projectionTarget' ->> 'projectionName' as projection_name,
        m -> 'projectionTarget' ->> 'projectionVersion' as projection_version
    from outbox.event_overview as e
    join outbox.delivery_set_overview as v using (delivery_set_version)
    cross join lateral jsonb_array_elements(v.definition::jsonb -> 'members') as m
    where
        m ->> 'eventType' = e.event_type
        and m ->> 'eventSchemaVersion' = e.event_schema_version
        and (m ->> 'mandatory')::boolean
),
actual as (
    select
        event_id, destination, consumer_name, expected_receipt_type, expected_receipt_schema_version,
        required_projection_name, required_projection_version
    from outbox.delivery_overview
)
select
    (select count(*) from (table frozen except table actual) as missing),
    (select count(*) from (table actual except table frozen) as extra)`

	sqlViolations = `select concat_ws(' ', invariant, 'of', relation, detail) from outbox.verify(p_canonical => true)`

	sqlTimeline = `
select t.event_id::text, count(*)
from operations_demo.timeline as t
group by t.event_id`

	sqlReceipts = `select event_id::text, receipt_ref, encode(receipt_digest, 'hex') from inbox.receipts`
)
