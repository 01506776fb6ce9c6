-- The definition quadruple and the member that a delivery froze: the only source of expected values. No row when the delivery
-- does not exist. No locks.
-- Callers: outbox_dispatcher, outbox_payload_reader, outbox_reader.
create or replace function outbox.read_frozen_member(p_event_id uuid, p_destination text) returns setof outbox.frozen_member
language sql
stable
called on null input
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
    select
        d.event_id, d.destination, d.generation, d.consumer_name, e.event_type, e.event_schema_version, e.delivery_set_version,
        e.delivery_set_definition_schema_version, e.delivery_set_definition_digest_algorithm_version, e.delivery_set_definition_digest,
        d.mandatory, d.expected_receipt_type, d.expected_receipt_schema_version,
        case when d.required_projection_name is null then 'not_applicable' else 'required' end,
        d.required_projection_name, d.required_projection_version
    from outbox.deliveries as d
    join outbox.events as e on e.event_id = d.event_id
    where d.event_id = p_event_id and d.destination = p_destination
$$;
comment on function outbox.read_frozen_member(uuid, text) is 'The definition quadruple and member that one delivery froze when its event was appended.';
