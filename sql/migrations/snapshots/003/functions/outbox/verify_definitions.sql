-- Registered definitions: digest of the stored text, members as written, pointer and activations. Called by outbox.verify.
create or replace function outbox.verify_definitions() returns setof outbox.violation
language sql
stable
as $$
    select 'definition_digest_matches', 'outbox.delivery_set_versions', null::uuid, null::text, v.delivery_set_version
    from outbox.delivery_set_versions as v
    where sha256(convert_to(contracts.jcs((v.definition::jsonb - 'deliverySetDefinitionDigest')::text::json), 'UTF8'))
        <> v.delivery_set_definition_digest
        or v.definition::jsonb ->> 'deliverySetVersion' <> v.delivery_set_version
    union all
    select 'definition_members_match', 'outbox.delivery_set_members', null, coalesce(m.destination, d.value ->> 'destination'),
        coalesce(m.delivery_set_version, d.delivery_set_version)
    from (
        select v.delivery_set_version, x.value
        from outbox.delivery_set_versions as v
        cross join lateral jsonb_array_elements(v.definition::jsonb -> 'members') as x(value)
    ) as d
    full join outbox.delivery_set_members as m
        on m.delivery_set_version = d.delivery_set_version
        and m.event_type = d.value ->> 'eventType'
        and m.event_schema_version = d.value ->> 'eventSchemaVersion'
        and m.destination = d.value ->> 'destination'
    where (
        d.value ->> 'consumerName', (d.value -> 'mandatory')::boolean, d.value ->> 'expectedReceiptType',
        d.value ->> 'expectedReceiptSchemaVersion', d.value #>> '{projectionTarget,state}',
        d.value #>> '{projectionTarget,projectionName}', d.value #>> '{projectionTarget,projectionVersion}'
    ) is distinct from (
        m.consumer_name, m.mandatory, m.expected_receipt_type, m.expected_receipt_schema_version, m.projection_target_state,
        m.projection_name, m.projection_version
    )
    union all
    select 'definition_events_match', 'outbox.delivery_set_applicable_events', null, null,
        coalesce(a.delivery_set_version, d.delivery_set_version)
    from (
        select v.delivery_set_version, x.value
        from outbox.delivery_set_versions as v
        cross join lateral jsonb_array_elements(v.definition::jsonb -> 'applicableEvents') as x(value)
    ) as d
    full join outbox.delivery_set_applicable_events as a
        on a.delivery_set_version = d.delivery_set_version
        and a.event_type = d.value ->> 'eventType'
        and a.event_schema_version = d.value ->> 'eventSchemaVersion'
    where a.event_type is null or d.value is null
    union all
    select 'pointer_names_latest_activation', 'outbox.active_delivery_set', null, null, a.delivery_set_version
    from outbox.active_delivery_set as a
    where a.activation_id <> (select max(x.activation_id) from outbox.delivery_set_activations as x)
$$;
comment on function outbox.verify_definitions() is 'Internal: Registered definitions: digest of the stored text, members as written, pointer and activations.';
