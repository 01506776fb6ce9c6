-- Raises OX005 for an event whose exact type and schema version the active delivery set does not name. Called by outbox.append_envelopes.
create or replace function outbox.refuse_inapplicable(p_envelopes json[], p_place int, p_delivery_set_version text, p_numbered boolean) returns void
language plpgsql
immutable
as $$
declare
    v_event contracts.canonical_envelope;
begin
    v_event := contracts.canonical_envelope(p_envelopes[p_place], 16777216, 128, '');
    raise exception using
        errcode = 'OX005',
        constraint = 'event_is_applicable',
        message = format('the active delivery set does not apply to event type %s, schema version %s', v_event.event_type, v_event.event_schema_version),
        detail = format('%s/eventType, delivery set %s', case when p_numbered then '/' || (p_place - 1) else '' end, p_delivery_set_version),
        hint = 'Use the exact registered pair, or activate a delivery set that names it before the producer is enabled.';
end
$$;
comment on function outbox.refuse_inapplicable(json[], integer, text, boolean) is 'Internal: Raises OX005 for an event whose exact type and schema version the active delivery set does not name.';
