-- Insert-or-compare of a consumer's receipt, in the consumer's own transaction: for life one receipt per consumer and event, for
-- projections per consumer, projection name, version and event. The candidate is the receipt without its ref, digest and time,
-- which are filled in here. A second session with the same event waits for the first. Locks: the receipt's key. Raises OX003
-- receipt_event_digest_matches, OX023 receipt_candidate_shape.
-- Callers: outbox_consumer.
create or replace function inbox.record_receipt(p_receipt_type text, p_candidate json) returns inbox.recorded_receipt
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
    v_prefix text := contracts.receipt_prefix(p_receipt_type);
    v_time text;
    v_schema text;
    v_now timestamptz := clock_timestamp();
    v_read record;
    v_doc jsonb;
    v_fault text;
    v_digest text;
    v_receipt text;
    v_first inbox.receipts;
begin
    -- The producer's acknowledgement will be final: what this transaction does must be, too.
    perform outbox.commit_durably();
    v_read := contracts.read_json(p_candidate, true);
    v_doc := v_read.value;
    v_schema := p_receipt_type || '@' || (v_doc ->> (v_prefix || 'SchemaVersion'));
    v_time := contracts.receipt_time_member(v_schema);
    v_fault := inbox.candidate_fault(p_receipt_type, v_prefix, v_time, v_doc, v_read.path, v_read.rule);
    if v_fault is not null then
        raise exception using
            errcode = 'OX023',
            constraint = 'receipt_candidate_shape',
            message = 'the receipt candidate is not well-formed',
            detail = v_fault,
            hint = 'A candidate is the receipt without its ref, digest and time, which the inbox fills in.';
    end if;

    select r.* into v_first
    from inbox.receipts as r
    where r.consumer_name = v_doc ->> 'consumerName'
        and r.event_id = (v_doc ->> 'eventId')::uuid
        and r.projection_name is not distinct from v_doc ->> 'projectionName'
        and r.projection_version is not distinct from v_doc ->> 'projectionVersion';
    if not found then
        v_digest := encode(sha256(convert_to(contracts.jcs_node(
            contracts.digest_candidate(contracts.digest_rule(v_schema), v_doc), '', 128, false, v_read.astral
        ), 'UTF8')), 'hex');
        v_doc := v_doc || jsonb_build_object(
            v_prefix || 'Ref', v_prefix || ':' || outbox.uuid_v7(),
            v_prefix || 'Digest', v_digest,
            v_time, outbox.rfc3339(v_now)
        );
        v_receipt := contracts.jcs_node(v_doc, '', 128, false, v_read.astral);
        insert into inbox.receipts (
            consumer_name, event_id, projection_name, projection_version, destination, event_envelope_digest_algorithm_version,
            event_envelope_sha256, receipt_type, receipt_ref, receipt_schema_version, receipt_digest_algorithm_version, receipt_digest,
            receipt, recorded_at
        )
        values (
            v_doc ->> 'consumerName', (v_doc ->> 'eventId')::uuid, v_doc ->> 'projectionName', v_doc ->> 'projectionVersion',
            v_doc ->> 'destination', v_doc ->> 'eventEnvelopeDigestAlgorithmVersion', decode(v_doc ->> 'eventEnvelopeSha256', 'hex'),
            p_receipt_type, v_doc ->> (v_prefix || 'Ref'), v_doc ->> (v_prefix || 'SchemaVersion'),
            v_doc ->> (v_prefix || 'DigestAlgorithmVersion'), decode(v_digest, 'hex'), v_receipt, v_now
        )
        on conflict on constraint receipt_is_unique_per_event do nothing;
        if found then
            return ('inserted', v_receipt)::inbox.recorded_receipt;
        end if;
        select r.* into strict v_first
        from inbox.receipts as r
        where r.consumer_name = v_doc ->> 'consumerName'
            and r.event_id = (v_doc ->> 'eventId')::uuid
            and r.projection_name is not distinct from v_doc ->> 'projectionName'
            and r.projection_version is not distinct from v_doc ->> 'projectionVersion';
    end if;
    if v_first.event_envelope_sha256 <> decode(v_doc ->> 'eventEnvelopeSha256', 'hex') or v_first.receipt_type <> p_receipt_type then
        raise exception using
            errcode = 'OX003',
            constraint = 'receipt_event_digest_matches',
            message = 'this consumer gave a receipt for the event under another envelope digest or receipt type',
            detail = case when v_first.receipt_type <> p_receipt_type then 'p_receipt_type' else '/eventEnvelopeSha256' end,
            hint = 'Answer non_retryable payload_digest_conflict: the event id was used for two envelopes.';
    end if;
    return ('identical', v_first.receipt)::inbox.recorded_receipt;
end
$$;
comment on function inbox.record_receipt(text, json) is 'Records the receipt of an event in the consumer''s transaction, or returns the first one. inserted: apply the event now. identical: apply nothing, answer with the returned receipt. The candidate lacks ref, digest and time. Raises OX003 when the event came with another digest.';
