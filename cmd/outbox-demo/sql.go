package main

// The demo's SQL beside the scenario's and the projector's. Everything but the last two statements runs on the
// producer's database; the reading there is done as outbox_reader.
const (
	sqlRegister = `select outbox.register_delivery_set($1::json, $2)`
	sqlActivate = `select outbox.activate_delivery_set($1, $2, $3, $4)`

	sqlProgress = `
select
    (select count(*) from outbox.event_publications),
    coalesce((
        select json_object_agg(d.destination, d.statuses)
        from (
            select c.destination, json_object_agg(c.status, c.n) as statuses
            from (select destination, status, count(*) as n from outbox.deliveries group by destination, status) as c
            group by c.destination
        ) as d
    ), '{}')::text`

	sqlEvents = `
select
    e.event_id::text, e.event_type, encode(e.event_envelope_sha256, 'hex'), (p.event_id is not null),
    e.delivery_set_version, e.delivery_set_definition_schema_version,
    e.delivery_set_definition_digest_algorithm_version, encode(e.delivery_set_definition_digest, 'hex')
from outbox.events as e
left join outbox.event_publications as p using (event_id)`

	sqlDeliveries = `
select
    event_id::text, destination, status, coalesce(ack_receipt_ref, ''), coalesce(encode(ack_receipt_digest, 'hex'), '')
from outbox.deliveries`

	sqlAttempts = `
select coalesce(f.outcome, 'unfinished'), coalesce(f.normalized_error_code, ''), count(*)
from outbox.delivery_attempt_starts as s
left join outbox.delivery_attempt_finishes as f using (attempt_id)
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
    from outbox.events as e
    join outbox.delivery_set_versions as v using (delivery_set_version)
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
    from outbox.deliveries
)
select
    (select count(*) from (table frozen except table actual) as missing),
    (select count(*) from (table actual except table frozen) as extra)`

	sqlViolations = `select invariant, relation, coalesce(detail, '') from outbox.verify(p_canonical => true)`

	sqlTimeline = `
select t.event_id::text, count(*)
from operations_demo.timeline as t
group by t.event_id`

	sqlReceipts = `select event_id::text, receipt_ref, encode(receipt_digest, 'hex') from inbox.receipts`
)
