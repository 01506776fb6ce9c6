-- The directed read of a receipt by its quadruple and the identity that the caller expects: found with the receipt, not_found, or
-- conflicting when the ref is known with another quadruple or identity. p_expected is an object that the receipt must contain; it
-- names at least destination, consumerName, eventId and the envelope digest pair. No list, no latest. No locks. Raises OX023.
-- Callers: outbox_consumer.
create or replace function inbox.read_receipt(
    p_receipt_type text,
    p_receipt_ref text,
    p_receipt_schema_version text,
    p_receipt_digest_algorithm_version text,
    p_receipt_digest bytea,
    p_expected json
) returns inbox.read_result
language plpgsql
stable
called on null input
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_expected jsonb;
    v_receipt inbox.receipts;
begin
    select r.value into v_expected
    from contracts.read_json(p_expected, false) as r
    where r.rule is null and jsonb_typeof(r.value) = 'object';
    if not coalesce(
        v_expected ?& array['destination', 'consumerName', 'eventId', 'eventEnvelopeDigestAlgorithmVersion', 'eventEnvelopeSha256'], false
    ) then
        raise exception using
            errcode = 'OX023',
            constraint = 'expected_identity_is_complete',
            message = 'the expected identity is incomplete',
            detail = 'p_expected',
            hint = 'Name destination, consumerName, eventId, eventEnvelopeDigestAlgorithmVersion and eventEnvelopeSha256, and whatever else identifies the source.';
    end if;
    select r.* into v_receipt from inbox.receipts as r where r.receipt_ref = p_receipt_ref;
    if not found then
        return ('not_found', null)::inbox.read_result;
    end if;
    if (v_receipt.receipt_type, v_receipt.receipt_schema_version, v_receipt.receipt_digest_algorithm_version, v_receipt.receipt_digest)
        is distinct from (p_receipt_type, p_receipt_schema_version, p_receipt_digest_algorithm_version, p_receipt_digest)
        or not v_receipt.receipt::jsonb @> v_expected
    then
        return ('conflicting', null)::inbox.read_result;
    end if;
    return ('found', v_receipt.receipt)::inbox.read_result;
end
$$;
comment on function inbox.read_receipt(text, text, text, text, bytea, json) is 'Reads one receipt by its quadruple and expected identity: found, not_found or conflicting.';
