-- What is wrong with an acknowledgement: '<invariant>: <path>', or null. Expected values come from the event and the frozen
-- member; nothing a receipt says about itself is ever the expected value. Consumer and kind follow from the destination by
-- ActiveConsumerAck@1. The receipt's digest is recomputed here. No locks, raises nothing.
-- Callers: outbox.judge_outcomes.
create or replace function outbox.ack_fault(
    p_ack jsonb,
    p_receipt jsonb,
    p_astral boolean,
    p_delivery outbox.deliveries,
    p_event_type text,
    p_event_schema_version text,
    p_event_envelope_sha256 bytea
) returns text
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_prefix text := contracts.receipt_prefix(p_delivery.expected_receipt_type);
    v_schema text := p_delivery.expected_receipt_type || '@' || p_delivery.expected_receipt_schema_version;
    v_applied jsonb := p_ack -> 'appliedReceipt';
    v_coordinates text[] := array[
        v_prefix || 'Ref', v_prefix || 'SchemaVersion', v_prefix || 'DigestAlgorithmVersion', v_prefix || 'Digest'
    ];
    -- The receipts with a source union carry the event's type there.
    v_source jsonb := case when p_receipt ? 'source' then p_receipt -> 'source' else p_receipt end;
    v_sha256 text := encode(p_event_envelope_sha256, 'hex');
    v_member text;
begin
    if not contracts.is_accepted('ActiveConsumerAck@1', p_ack) then
        select 'ack_shape: /ack' || v.path || ' ' || v.rule into v_member
        from contracts.schema_violations('ActiveConsumerAck@1', p_ack) as v
        order by v.path collate "C", v.rule collate "C"
        limit 1;
        if v_member is not null then
            return v_member;
        end if;
    end if;
    v_member := case
        when p_ack -> 'destination' is distinct from to_jsonb(p_delivery.destination) then 'destination'
        when p_ack -> 'eventId' is distinct from to_jsonb(p_delivery.event_id) then 'eventId'
        when p_ack -> 'eventEnvelopeSha256' is distinct from to_jsonb(v_sha256) then 'eventEnvelopeSha256'
        when v_applied -> v_coordinates[2] is distinct from to_jsonb(p_delivery.expected_receipt_schema_version)
            then 'appliedReceipt/' || v_coordinates[2]
    end;
    if v_member is not null then
        return 'ack_matches_member: /ack/' || v_member;
    end if;

    if not contracts.is_accepted(v_schema, p_receipt) then
        select 'receipt_shape: /receipt' || v.path || ' ' || v.rule into v_member
        from contracts.schema_violations(v_schema, p_receipt) as v
        order by v.path collate "C", v.rule collate "C"
        limit 1;
    end if;
    if v_member is null and octet_length(p_receipt::text) <> length(p_receipt::text) and not contracts.is_nfc(p_receipt::text) then
        v_member := 'receipt_shape: /receipt text_is_nfc';
    end if;
    if v_member is not null then
        return v_member;
    end if;
    -- Some of these the schema of a release's receipt states as well; another team's need not.
    v_member := case
        when p_receipt -> 'destination' is distinct from to_jsonb(p_delivery.destination) then 'destination'
        when p_receipt -> 'consumerName' is distinct from to_jsonb(p_delivery.consumer_name) then 'consumerName'
        when p_receipt -> 'eventId' is distinct from to_jsonb(p_delivery.event_id) then 'eventId'
        when v_source -> 'eventType' is distinct from to_jsonb(p_event_type) then 'eventType'
        when v_source -> 'eventSchemaVersion' is distinct from to_jsonb(p_event_schema_version) then 'eventSchemaVersion'
        when p_receipt -> 'eventEnvelopeDigestAlgorithmVersion' is distinct from '"jcs-sha256-v1"' then 'eventEnvelopeDigestAlgorithmVersion'
        when p_receipt -> 'eventEnvelopeSha256' is distinct from to_jsonb(v_sha256) then 'eventEnvelopeSha256'
        when p_receipt -> 'projectionName' is distinct from to_jsonb(p_delivery.required_projection_name) then 'projectionName'
        when p_receipt -> 'projectionVersion' is distinct from to_jsonb(p_delivery.required_projection_version) then 'projectionVersion'
        when p_receipt -> v_coordinates[1] is distinct from v_applied -> v_coordinates[1] then v_coordinates[1]
        when p_receipt -> v_coordinates[2] is distinct from v_applied -> v_coordinates[2] then v_coordinates[2]
        when p_receipt -> v_coordinates[3] is distinct from v_applied -> v_coordinates[3] then v_coordinates[3]
        when p_receipt -> v_coordinates[4] is distinct from v_applied -> v_coordinates[4] then v_coordinates[4]
    end;
    if v_member is not null then
        return 'receipt_matches_member: /receipt/' || v_member;
    end if;
    if encode(sha256(convert_to(
        contracts.jcs_node(
            contracts.digest_candidate(contracts.digest_rule(v_schema), p_receipt), '/receipt', 128, false, p_astral
        ), 'UTF8'
    )), 'hex') <> p_receipt ->> v_coordinates[4] then
        return 'receipt_digest_matches: /receipt/' || v_coordinates[4];
    end if;
    return null;
end
$$;
comment on function outbox.ack_fault(jsonb, jsonb, boolean, outbox.deliveries, text, text, bytea) is 'Internal: What is wrong with an acknowledgement: ''<invariant>: <path>'', or null.';
