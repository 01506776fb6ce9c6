-- What is wrong with a registered definition: its stored text against its digest, its quadruple and its rows. Never raises: a
-- text that cannot be read is a fault too.
-- Callers: outbox.verify_definitions, trigger definition_matches_rows.
create or replace function outbox.definition_faults(p_delivery_set_version text) returns setof text
language plpgsql
stable
called on null input
parallel unsafe
as $$
declare
    v_set outbox.delivery_set_versions;
    v_doc jsonb;
begin
    select v.* into strict v_set from outbox.delivery_set_versions as v where v.delivery_set_version = p_delivery_set_version;
    v_doc := v_set.definition::jsonb;
    if contracts.jcs(v_set.definition::json) is distinct from v_set.definition then
        return next 'the text is not canonical';
    end if;
    if sha256(convert_to(contracts.jcs((v_doc - 'deliverySetDefinitionDigest')::text::json), 'UTF8'))
        is distinct from v_set.delivery_set_definition_digest
    then
        return next 'the digest is not the digest of the text';
    end if;
    if (
        v_doc ->> 'deliverySetVersion', v_doc ->> 'deliverySetDefinitionSchemaVersion',
        v_doc ->> 'deliverySetDefinitionDigestAlgorithmVersion', v_doc ->> 'deliverySetDefinitionDigest'
    ) is distinct from (
        v_set.delivery_set_version, v_set.delivery_set_definition_schema_version,
        v_set.delivery_set_definition_digest_algorithm_version, encode(v_set.delivery_set_definition_digest, 'hex')
    ) then
        return next 'the quadruple is not the one in the text';
    end if;
    return query
    select 'the applicable events are not those of the text'
    from jsonb_array_elements(v_doc -> 'applicableEvents') as d(value)
    full join (
        select x.* from outbox.delivery_set_applicable_events as x where x.delivery_set_version = p_delivery_set_version
    ) as e
        on e.event_type = d.value ->> 'eventType' and e.event_schema_version = d.value ->> 'eventSchemaVersion'
    where e.event_type is null or d.value is null
    limit 1;
    return query
    select 'the members are not those of the text'
    from jsonb_array_elements(v_doc -> 'members') as d(value)
    full join (
        select x.* from outbox.delivery_set_members as x where x.delivery_set_version = p_delivery_set_version
    ) as m
        on m.event_type = d.value ->> 'eventType'
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
    limit 1;
    if jsonb_typeof(v_doc -> 'applicableEvents') is distinct from 'array' or jsonb_typeof(v_doc -> 'members') is distinct from 'array' then
        return next 'the text has no applicable events or no members';
    end if;
exception when others then
    return next 'the text cannot be read, SQLSTATE ' || sqlstate;
end
$$;
comment on function outbox.definition_faults(text) is 'Internal: What is wrong with a registered definition: its text against its digest, its quadruple and its rows.';
