-- The rules between the parts of a DeliverySetDefinition@1 that its schema accepts, and against the registries.
-- Callers: contracts.delivery_set_violations.
create or replace function contracts.delivery_set_rule_violations(p_definition jsonb) returns setof contracts.violation
language sql
stable
called on null input
parallel safe
as $$
    with event as (
        select
            '/applicableEvents/' || (e.ordinality - 1) as path,
            e.value ->> 'eventType' as event_type,
            e.value ->> 'eventSchemaVersion' as event_schema_version
        from jsonb_array_elements(p_definition -> 'applicableEvents') with ordinality as e(value, ordinality)
    ), member as (
        select
            '/members/' || (m.ordinality - 1) as path,
            m.value ->> 'eventType' as event_type,
            m.value ->> 'eventSchemaVersion' as event_schema_version,
            m.value ->> 'destination' as destination,
            m.value ->> 'consumerName' as consumer_name,
            m.value ->> 'expectedReceiptType' as receipt_type,
            m.value ->> 'expectedReceiptSchemaVersion' as receipt_schema_version,
            m.value #>> '{projectionTarget,state}' = 'required' as projection_required,
            (m.value -> 'mandatory')::boolean as mandatory
        from jsonb_array_elements(p_definition -> 'members') with ordinality as m(value, ordinality)
    )
    select e.path, 'event_type_is_registered', 'contracts.event_types does not have this pair'
    from event as e
    where not exists (
        select
        from contracts.event_types as t
        where t.event_type = e.event_type and t.event_schema_version = e.event_schema_version
    )
    union all
    select e.path, 'applicable_event_has_mandatory_member', 'no mandatory member names this pair'
    from event as e
    where not exists (
        select
        from member as m
        where m.event_type = e.event_type and m.event_schema_version = e.event_schema_version and m.mandatory
    )
    union all
    select m.path, 'member_event_is_applicable', 'applicableEvents does not have this pair'
    from member as m
    where not exists (
        select
        from event as e
        where e.event_type = m.event_type and e.event_schema_version = m.event_schema_version
    )
    union all
    select m.path || '/destination', 'destination_is_registered', 'outbox.destinations does not have this destination'
    from member as m
    where not exists (select from outbox.destinations as d where d.destination = m.destination)
    union all
    select m.path || '/' || x.member, 'member_matches_destination', 'differs from outbox.destinations'
    from member as m
    join outbox.destinations as d on d.destination = m.destination
    cross join lateral (
        values
        ('consumerName', m.consumer_name = d.consumer_name),
        ('expectedReceiptType', m.receipt_type = d.receipt_type),
        ('expectedReceiptSchemaVersion', m.receipt_schema_version = d.receipt_schema_version),
        ('projectionTarget', m.projection_required = d.projection_required)
    ) as x(member, matches)
    where not x.matches
$$;
comment on function contracts.delivery_set_rule_violations(jsonb) is 'Internal: The rules between the parts of a DeliverySetDefinition@1, and against the registries.';
