-- The first member of an EventEnvelope@1 that breaks its rule, and the rule; rule is null when all is well. One expression judges
-- all members: it runs for every appended event.
-- Callers: contracts.canonical_envelope.
create or replace function contracts.envelope_fault(p_envelope jsonb, out path text, out rule text)
language plpgsql
immutable
called on null input
parallel safe
as $$
begin
    if jsonb_typeof(p_envelope) is distinct from 'object' then
        path := '';
        rule := 'envelope_is_object';
        return;
    end if;
    if p_envelope - '{envelopeSchemaVersion,eventId,eventType,eventSchemaVersion,aggregateId,aggregateRevision,tenantKind,tenantId,workspaceId,projectId,actorPrincipalId,correlationId,causationId,operationId,traceId,occurredAt,payload}'::text[] <> '{}' then
        select '/' || contracts.pointer_token(min(k.name collate "C")), 'envelope_is_closed' into path, rule
        from jsonb_object_keys(
            p_envelope - '{envelopeSchemaVersion,eventId,eventType,eventSchemaVersion,aggregateId,aggregateRevision,tenantKind,tenantId,workspaceId,projectId,actorPrincipalId,correlationId,causationId,operationId,traceId,occurredAt,payload}'::text[]
        ) as k(name);
        return;
    end if;
    path := case
        when not coalesce(p_envelope -> 'envelopeSchemaVersion' = '"1"', false) then 'envelopeSchemaVersion'
        when not contracts.is_uuid(p_envelope -> 'eventId') then 'eventId'
        when not contracts.is_event_type(p_envelope -> 'eventType') then 'eventType'
        when not contracts.is_schema_version(p_envelope -> 'eventSchemaVersion') then 'eventSchemaVersion'
        when not contracts.is_identifier(p_envelope -> 'aggregateId') then 'aggregateId'
        when not contracts.is_integer_between(p_envelope -> 'aggregateRevision', 1, 9007199254740991) then 'aggregateRevision'
        when not contracts.is_text_like(p_envelope -> 'tenantKind', '^(organization|personal_space)$', 256) then 'tenantKind'
        when not contracts.is_identifier(p_envelope -> 'tenantId') then 'tenantId'
        when not contracts.is_identifier(p_envelope -> 'workspaceId') then 'workspaceId'
        when p_envelope ? 'projectId' and not contracts.is_identifier(p_envelope -> 'projectId') then 'projectId'
        when p_envelope ? 'actorPrincipalId' and not contracts.is_identifier(p_envelope -> 'actorPrincipalId') then 'actorPrincipalId'
        when not contracts.is_identifier(p_envelope -> 'correlationId') then 'correlationId'
        when p_envelope ? 'causationId' and not contracts.is_identifier(p_envelope -> 'causationId') then 'causationId'
        when not contracts.is_identifier(p_envelope -> 'operationId') then 'operationId'
        when p_envelope ? 'traceId' and not contracts.is_identifier(p_envelope -> 'traceId') then 'traceId'
        when not contracts.is_text_like(p_envelope -> 'occurredAt', '', 30) or not contracts.is_rfc3339_utc(p_envelope ->> 'occurredAt')
            then 'occurredAt'
        when not coalesce(jsonb_typeof(p_envelope -> 'payload') = 'object', false) then 'payload'
    end;
    if path is not null then
        rule := case coalesce(jsonb_typeof(p_envelope -> path), 'missing')
            when 'missing' then 'envelope_is_complete'
            when 'null' then 'member_is_not_null'
            else 'member_is_well_formed'
        end;
        path := '/' || path;
    end if;
end
$$;
comment on function contracts.envelope_fault(jsonb) is 'Internal: The first member of an EventEnvelope@1 that breaks its rule, and the rule; rule is null when all is well.';
