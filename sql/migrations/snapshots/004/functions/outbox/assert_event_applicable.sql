-- Start-up proof of a producer: the active definition names the exact pair and, if given, exactly these mandatory members. No
-- locks. Raises OX004, OX005, OX023.
-- Callers: outbox_producer.
create or replace function outbox.assert_event_applicable(
    p_event_type text,
    p_event_schema_version text,
    p_expected_members json default null
) returns void
language plpgsql
stable
called on null input
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_version text;
    v_expected jsonb;
    v_members jsonb;
begin
    select a.delivery_set_version into v_version from outbox.active_delivery_set as a;
    if v_version is null then
        raise exception using
            errcode = 'OX004',
            constraint = 'delivery_set_is_active',
            message = 'no delivery set is active in this database',
            detail = 'outbox.active_delivery_set is empty',
            hint = 'Register and activate a delivery set: outbox delivery-set activate.';
    end if;
    select coalesce(
        jsonb_agg(
            jsonb_build_object(
                'destination', m.destination,
                'consumerName', m.consumer_name,
                'expectedReceiptType', m.expected_receipt_type,
                'expectedReceiptSchemaVersion', m.expected_receipt_schema_version,
                'projectionTarget', case m.projection_target_state
                    when 'required' then jsonb_build_object(
                        'state', 'required', 'projectionName', m.projection_name, 'projectionVersion', m.projection_version
                    )
                    else jsonb_build_object('state', m.projection_target_state)
                end
            )
            order by m.destination collate "C"
        ),
        '[]'
    ) into v_members
    from outbox.delivery_set_members as m
    where m.delivery_set_version = v_version
        and m.event_type = p_event_type
        and m.event_schema_version = p_event_schema_version
        and m.mandatory;
    if v_members = '[]' then
        raise exception using
            errcode = 'OX005',
            constraint = 'event_is_applicable',
            message = 'the active delivery set does not apply to this event type and schema version',
            detail = format('%s, schema version %s, delivery set %s', p_event_type, p_event_schema_version, v_version),
            hint = 'Do not enable this producer before a delivery set that names the pair is active.';
    end if;
    if p_expected_members is null then
        return;
    end if;
    select r.value into v_expected
    from contracts.read_json(p_expected_members, false) as r
    where r.rule is null and jsonb_typeof(r.value) = 'array';
    if v_expected is null then
        raise exception using
            errcode = 'OX023',
            constraint = 'expected_members_are_array',
            message = 'the expected members are not a JSON array',
            detail = 'p_expected_members',
            hint = 'Send an array of destination, consumerName, expectedReceiptType, expectedReceiptSchemaVersion, projectionTarget.';
    end if;
    if (select coalesce(jsonb_agg(x.value order by x.value ->> 'destination' collate "C"), '[]') from jsonb_array_elements(v_expected) as x(value))
        <> v_members
    then
        raise exception using
            errcode = 'OX005',
            constraint = 'mandatory_members_are_as_expected',
            message = 'the active delivery set has other mandatory members for this event than the producer expects',
            detail = format('%s, schema version %s, delivery set %s', p_event_type, p_event_schema_version, v_version),
            hint = 'A login with outbox_reader can compare: select * from outbox.delivery_set_members. Items are destination, consumerName, expectedReceiptType, expectedReceiptSchemaVersion, projectionTarget.';
    end if;
end
$$;
comment on function outbox.assert_event_applicable(text, text, json) is 'Raises OX005 unless the active delivery set names this exact pair and, when p_expected_members is given, exactly these mandatory members. For a producer''s start.';
