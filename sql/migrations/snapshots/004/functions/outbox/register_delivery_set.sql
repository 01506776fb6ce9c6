-- Registers a DeliverySetDefinition@1: insert-or-compare on the full quadruple. Locks: the row of the version, while two sessions
-- register the same one. Raises OX010 under the name of the broken rule, OX011.
-- Callers: outbox_governor.
create or replace function outbox.register_delivery_set(p_definition json, p_source_release text) returns text
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
    v_fault contracts.violation;
    v_doc jsonb;
    v_known outbox.delivery_set_versions;
    v_version text;
    v_inserted text;
    v_canonical text;
begin
    if not coalesce(length(p_source_release) between 1 and 256, false) then
        perform outbox.refuse_argument('source_release_is_named', 'p_source_release', 'Name the release that this definition comes from.');
    end if;
    select v.* into v_fault from contracts.delivery_set_violations(p_definition) as v limit 1;
    if v_fault.rule is not null then
        perform contracts.refuse('OX010', v_fault.rule, v_fault.path);
    end if;
    v_doc := p_definition::jsonb;
    v_version := v_doc ->> 'deliverySetVersion';
    v_canonical := contracts.jcs(p_definition);

    -- One statement: definition_matches_rows compares the three tables at its end.
    with registered as (
        insert into outbox.delivery_set_versions (
            delivery_set_version, delivery_set_definition_schema_version, delivery_set_definition_digest_algorithm_version,
            delivery_set_definition_digest, definition, source_release, registered_at, registered_by
        )
        values (
            v_version, v_doc ->> 'deliverySetDefinitionSchemaVersion', v_doc ->> 'deliverySetDefinitionDigestAlgorithmVersion',
            decode(v_doc ->> 'deliverySetDefinitionDigest', 'hex'), v_canonical, p_source_release, clock_timestamp(), session_user
        )
        on conflict (delivery_set_version) do nothing
        returning delivery_set_version
    ), applicable as (
        insert into outbox.delivery_set_applicable_events (delivery_set_version, event_type, event_schema_version)
        select r.delivery_set_version, e.value ->> 'eventType', e.value ->> 'eventSchemaVersion'
        from registered as r
        cross join lateral jsonb_array_elements(v_doc -> 'applicableEvents') as e(value)
    ), members as (
        insert into outbox.delivery_set_members (
            delivery_set_version, event_type, event_schema_version, destination, consumer_name, mandatory, expected_receipt_type,
            expected_receipt_schema_version, projection_target_state, projection_name, projection_version
        )
        select
            r.delivery_set_version, m.value ->> 'eventType', m.value ->> 'eventSchemaVersion', m.value ->> 'destination',
            m.value ->> 'consumerName', (m.value -> 'mandatory')::boolean, m.value ->> 'expectedReceiptType',
            m.value ->> 'expectedReceiptSchemaVersion', m.value #>> '{projectionTarget,state}',
            m.value #>> '{projectionTarget,projectionName}', m.value #>> '{projectionTarget,projectionVersion}'
        from registered as r
        cross join lateral jsonb_array_elements(v_doc -> 'members') as m(value)
    )
    select r.delivery_set_version into v_inserted from registered as r;
    if v_inserted is null then
        select v.* into strict v_known from outbox.delivery_set_versions as v where v.delivery_set_version = v_version;
        if v_known.definition <> v_canonical then
            raise exception using
                errcode = 'OX011',
                constraint = 'definition_is_immutable',
                message = format('delivery set %s is registered with another definition', v_version),
                detail = '/deliverySetVersion',
                hint = 'A definition never changes: give the new one a new deliverySetVersion.';
        end if;
        return 'identical';
    end if;

    insert into outbox.operator_actions (action, delivery_set_version, detail, acted_at, acted_by)
    values ('register', v_version, p_source_release, clock_timestamp(), session_user);
    return 'inserted';
end
$$;
comment on function outbox.register_delivery_set(json, text) is 'Registers an immutable DeliverySetDefinition@1 and answers inserted or identical. Raises OX010 with the broken rule and its path, OX011 when the version is known with another definition.';
