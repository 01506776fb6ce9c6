-- Raises OX005 for an event whose exact type and schema version the active delivery set does not name.
-- Callers: outbox.append_envelopes.
create or replace function outbox.refuse_inapplicable(
    p_event contracts.canonical_envelope,
    p_item int,
    p_delivery_set_version text,
    p_numbered boolean
) returns void
language plpgsql
immutable
called on null input
parallel safe
as $$
begin
    raise exception using
        errcode = 'OX005',
        constraint = 'event_is_applicable',
        message = format('the active delivery set does not apply to event type %s, schema version %s', p_event.event_type, p_event.event_schema_version),
        detail = format('%s/eventType, delivery set %s', case when p_numbered then '/' || p_item else '' end, p_delivery_set_version),
        hint = 'Use the exact registered pair, or activate a delivery set that names it before the producer is enabled.';
end
$$;
comment on function outbox.refuse_inapplicable(contracts.canonical_envelope, integer, text, boolean) is 'Internal: Raises OX005 for an event that the active delivery set does not name.';
