-- Closed members, types and forms of a DeliverySetDefinition@1.
-- Callers: contracts.delivery_set_violations.
create or replace function contracts.delivery_set_shape_violations(p_definition jsonb) returns setof contracts.violation
language sql
stable
called on null input
parallel safe
as $$
    with node as (
        select '' as path, p_definition as value, 'definition' as kind
        union all
        select '/applicableEvents/' || (e.ordinality - 1), e.value, 'event'
        from jsonb_array_elements(
            case when jsonb_typeof(p_definition -> 'applicableEvents') = 'array' then p_definition -> 'applicableEvents' else '[]' end
        ) with ordinality as e(value, ordinality)
        union all
        select '/members/' || (m.ordinality - 1), m.value, 'member'
        from jsonb_array_elements(
            case when jsonb_typeof(p_definition -> 'members') = 'array' then p_definition -> 'members' else '[]' end
        ) with ordinality as m(value, ordinality)
        union all
        select '/members/' || (m.ordinality - 1) || '/projectionTarget', m.value -> 'projectionTarget', 'target'
        from jsonb_array_elements(
            case when jsonb_typeof(p_definition -> 'members') = 'array' then p_definition -> 'members' else '[]' end
        ) with ordinality as m(value, ordinality)
        where jsonb_typeof(m.value) = 'object' and m.value ? 'projectionTarget'
    ), form (kind, member, form, required) as (
        values
        ('definition', 'deliverySetVersion', 'identifier', true),
        ('definition', 'deliverySetDefinitionSchemaVersion', 'identifier', true),
        ('definition', 'deliverySetDefinitionDigestAlgorithmVersion', 'identifier', true),
        ('definition', 'deliverySetDefinitionDigest', 'digest', true),
        ('definition', 'applicableEventCount', 'count', true),
        ('definition', 'applicableEvents', 'array', true),
        ('definition', 'memberCount', 'count', true),
        ('definition', 'members', 'array', true),
        ('event', 'eventType', 'event_type', true),
        ('event', 'eventSchemaVersion', 'schema_version', true),
        ('member', 'eventType', 'event_type', true),
        ('member', 'eventSchemaVersion', 'schema_version', true),
        ('member', 'destination', 'name', true),
        ('member', 'consumerName', 'name', true),
        ('member', 'expectedReceiptType', 'type_name', true),
        ('member', 'expectedReceiptSchemaVersion', 'schema_version', true),
        ('member', 'projectionTarget', 'object', true),
        ('member', 'mandatory', 'boolean', true),
        ('target', 'state', 'target_state', true),
        ('target', 'projectionName', 'identifier', false),
        ('target', 'projectionVersion', 'identifier', false)
    )
    select n.path, 'definition_is_well_formed', 'an object is expected'
    from node as n
    where jsonb_typeof(n.value) <> 'object'
    union all
    select n.path || '/' || contracts.pointer_token(k.name), 'definition_is_closed', 'unknown member'
    from node as n
    cross join lateral jsonb_object_keys(case when jsonb_typeof(n.value) = 'object' then n.value else '{}' end) as k(name)
    where not exists (select from form as f where f.kind = n.kind and f.member = k.name)
    union all
    select n.path || '/' || f.member, 'definition_is_complete', 'missing member'
    from node as n
    join form as f on f.kind = n.kind and f.required
    where jsonb_typeof(n.value) = 'object' and not n.value ? f.member
    union all
    select n.path || '/' || f.member, 'definition_is_well_formed', 'wrong type or form'
    from node as n
    join form as f on f.kind = n.kind
    cross join lateral (select n.value -> f.member as value) as m
    where jsonb_typeof(n.value) = 'object'
        and m.value is not null
        and not case f.form
            when 'identifier' then contracts.is_identifier(m.value)
            when 'digest' then contracts.is_sha256(m.value)
            when 'count' then contracts.is_integer_between(m.value, 0, 1000000)
            when 'event_type' then contracts.is_event_type(m.value)
            when 'schema_version' then contracts.is_schema_version(m.value)
            when 'name' then contracts.is_name(m.value)
            when 'type_name' then contracts.is_text_like(m.value, '^[A-Z][A-Za-z0-9]*$', 128)
            when 'target_state' then contracts.is_text_like(m.value, '^(not_applicable|required)$', 64)
            else jsonb_typeof(m.value) = f.form
        end
    union all
    select n.path, 'definition_is_well_formed', 'a required projection target names projection and version, another names none'
    from node as n
    where n.kind = 'target'
        and jsonb_typeof(n.value) = 'object'
        and ((n.value ->> 'state' = 'required') <> (n.value ? 'projectionName') or (n.value ? 'projectionName') <> (n.value ? 'projectionVersion'))
$$;
comment on function contracts.delivery_set_shape_violations(jsonb) is 'Internal: Closed members, types and forms of a DeliverySetDefinition@1.';
