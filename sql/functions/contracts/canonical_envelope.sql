-- Reads one EventEnvelope@1: checks the whole envelope profile and returns its members and its canonical text. The envelope's own
-- members are written in canonical order by hand (they are fixed, so nothing needs sorting); only the payload goes through the
-- general canonicaliser. Expects plan_cache_mode = force_generic_plan, see contracts.jcs_node. p_prefix starts every path, for
-- calls with many envelopes; p_quick_check is that of EventEnvelope@1. No locks. Raises OX001 and OX002 with the path.
-- Callers: outbox.append_envelopes.
create or replace function contracts.canonical_envelope(
    p_envelope json,
    p_max_bytes int,
    p_max_levels int,
    p_prefix text,
    p_quick_check jsonpath
) returns contracts.canonical_envelope
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_doc jsonb;
    v_astral boolean;
    v_plain boolean;
    v_path text;
    v_rule text;
    v_text text;
begin
    if octet_length(p_envelope::text) > 4 * p_max_bytes then
        perform contracts.refuse('OX001', 'raw_size_within_limit', p_prefix);
    end if;
    select r.value, r.astral, r.plain, r.path, r.rule into v_doc, v_astral, v_plain, v_path, v_rule
    from contracts.read_json(coalesce(p_envelope, 'null'), true) as r;
    if v_rule is null and jsonb_path_match(v_doc, p_quick_check, '{}', true) is not true then
        select v.path, v.rule into v_path, v_rule
        from contracts.schema_violations('EventEnvelope@1', v_doc) as v
        order by v.path collate "C", v.rule collate "C"
        limit 1;
    end if;
    if v_rule is not null then
        perform contracts.refuse(case v_rule when 'number_is_exact' then 'OX002' else 'OX001' end, v_rule, p_prefix || v_path);
    end if;
    v_text := concat(
        '{', '"actorPrincipalId":' || (v_doc -> 'actorPrincipalId')::text || ',',
        '"aggregateId":', v_doc -> 'aggregateId',
        ',"aggregateRevision":', (v_doc ->> 'aggregateRevision')::numeric::bigint,
        ',"causationId":' || (v_doc -> 'causationId')::text,
        ',"correlationId":', v_doc -> 'correlationId',
        ',"envelopeSchemaVersion":', v_doc -> 'envelopeSchemaVersion',
        ',"eventId":', v_doc -> 'eventId',
        ',"eventSchemaVersion":', v_doc -> 'eventSchemaVersion',
        ',"eventType":', v_doc -> 'eventType',
        ',"occurredAt":', v_doc -> 'occurredAt',
        ',"operationId":', v_doc -> 'operationId',
        ',"payload":', case
            when v_plain and not contracts.is_deeper(v_doc -> 'payload', p_max_levels - 1) then contracts.jcs_plain(v_doc -> 'payload')
            else contracts.jcs_node(v_doc -> 'payload', p_prefix || '/payload', p_max_levels - 1, true, v_astral)
        end,
        ',"projectId":' || (v_doc -> 'projectId')::text,
        ',"tenantId":', v_doc -> 'tenantId',
        ',"tenantKind":', v_doc -> 'tenantKind',
        ',"traceId":' || (v_doc -> 'traceId')::text,
        ',"workspaceId":', v_doc -> 'workspaceId',
        '}'
    );
    if octet_length(v_text) > p_max_bytes then
        perform contracts.refuse('OX001', 'envelope_size_within_limit', p_prefix);
    end if;
    return (
        (v_doc ->> 'eventId')::uuid,
        v_doc ->> 'eventType',
        v_doc ->> 'eventSchemaVersion',
        v_doc ->> 'aggregateId',
        (v_doc ->> 'aggregateRevision')::numeric::bigint,
        v_doc ->> 'tenantKind',
        v_doc ->> 'tenantId',
        v_doc ->> 'workspaceId',
        v_doc ->> 'projectId',
        v_doc ->> 'actorPrincipalId',
        v_doc ->> 'correlationId',
        v_doc ->> 'causationId',
        v_doc ->> 'operationId',
        v_doc ->> 'traceId',
        (v_doc ->> 'occurredAt')::timestamptz,
        v_text,
        sha256(convert_to(v_text, 'UTF8'))
    );
end
$$;
comment on function contracts.canonical_envelope(json, integer, integer, text, jsonpath) is 'Internal: Reads one EventEnvelope@1: checks the whole envelope profile and returns its members and its canonical text.';
