-- What is wrong with a receipt candidate: a path, or null.
-- Callers: inbox.record_receipt.
create or replace function inbox.candidate_fault(
    p_receipt_type text,
    p_prefix text,
    p_time text,
    p_candidate jsonb,
    p_path text,
    p_rule text
) returns text
language sql
stable
called on null input
parallel safe
as $$
    select case
        when p_rule is not null then p_path || ' ' || p_rule
        when coalesce(p_receipt_type, '') !~ '^[A-Z][A-Za-z0-9]{0,127}$' then 'p_receipt_type'
        when jsonb_typeof(p_candidate) is distinct from 'object' then '(whole document)'
        when p_candidate ?| array[p_prefix || 'Ref', p_prefix || 'Digest', p_time] then '/' || p_prefix || 'Ref, Digest or time is present'
        when not contracts.is_schema_version(p_candidate -> (p_prefix || 'SchemaVersion'))
            then '/' || p_prefix || 'SchemaVersion'
        when not contracts.is_text_like(p_candidate -> (p_prefix || 'DigestAlgorithmVersion'), '^jcs-sha256-v1$', 32)
            then '/' || p_prefix || 'DigestAlgorithmVersion'
        when not contracts.is_name(p_candidate -> 'destination') then '/destination'
        when not contracts.is_name(p_candidate -> 'consumerName') then '/consumerName'
        when not contracts.is_uuid(p_candidate -> 'eventId') then '/eventId'
        when not contracts.is_text_like(p_candidate -> 'eventEnvelopeDigestAlgorithmVersion', '^jcs-sha256-v1$', 32)
            then '/eventEnvelopeDigestAlgorithmVersion'
        when not contracts.is_sha256(p_candidate -> 'eventEnvelopeSha256') then '/eventEnvelopeSha256'
        when p_candidate ? 'projectionName' <> p_candidate ? 'projectionVersion' then '/projectionVersion'
        when p_candidate ? 'projectionName' and not contracts.is_identifier(p_candidate -> 'projectionName') then '/projectionName'
        when p_candidate ? 'projectionName' and not contracts.is_identifier(p_candidate -> 'projectionVersion') then '/projectionVersion'
        when p_candidate - array[p_prefix || 'SchemaVersion', p_prefix || 'DigestAlgorithmVersion'] - contracts.receipt_members(p_receipt_type) <> '{}'
            then 'unknown member'
        -- The receipts with a source union carry the event's type there.
        when not contracts.is_event_type(coalesce(p_candidate -> 'source', p_candidate) -> 'eventType') then '/eventType'
        when not contracts.is_schema_version(coalesce(p_candidate -> 'source', p_candidate) -> 'eventSchemaVersion') then '/eventSchemaVersion'
        -- A registered destination, consumer or receipt type comes with the other two as registered.
        when exists (
            select
            from outbox.destinations as d
            where (
                d.receipt_type = p_receipt_type
                or d.destination = p_candidate ->> 'destination'
                or d.consumer_name = p_candidate ->> 'consumerName'
            ) and (d.receipt_type, d.destination, d.consumer_name, d.projection_required) is distinct from (
                p_receipt_type, p_candidate ->> 'destination', p_candidate ->> 'consumerName', p_candidate ? 'projectionName'
            )
        ) then '/destination'
    end
$$;
comment on function inbox.candidate_fault(text, text, text, jsonb, text, text) is 'Internal: What is wrong with a receipt candidate: a path, or null.';
