-- Refuses the first payload that breaks the schema of its event type, where the registry names one. No locks. Raises OX001 under
-- the broken rule, with the path.
-- Callers: outbox.append_envelopes.
create or replace function outbox.refuse_payloads(p_events contracts.canonical_envelope[], p_numbered boolean) returns void
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_path text;
    v_rule text;
begin
    select case when p_numbered then '/' || (i.place - 1) else '' end || '/payload' || v.path, v.rule into v_path, v_rule
    from unnest(p_events) with ordinality as i(
        event_id, event_type, event_schema_version, aggregate_id, aggregate_revision, tenant_kind, tenant_id, workspace_id, project_id,
        actor_principal_id, correlation_id, causation_id, operation_id, trace_id, occurred_at, event_envelope, event_envelope_sha256,
        place
    )
    join contracts.event_types as t
        on t.event_type = i.event_type and t.event_schema_version = i.event_schema_version and t.payload_schema is not null
    cross join lateral contracts.validate(t.payload_schema, i.event_envelope::json -> 'payload') as v
    order by i.place, v.path collate "C", v.rule collate "C"
    limit 1;
    if found then
        perform contracts.refuse('OX001', v_rule, v_path);
    end if;
end
$$;
comment on function outbox.refuse_payloads(contracts.canonical_envelope[], boolean) is 'Internal: Refuses the first payload that breaks the schema of its event type.';
