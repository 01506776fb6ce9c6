-- Records the outcomes of attempts: one finish each, the delivery's next state, and publication of events whose last mandatory
-- delivery is acknowledged, in one transaction. Items stand alone: a stale or invalid one changes nothing and says why. Locks:
-- every delivery of every affected event, in the order event_id, destination, in a statement of its own, before anything is
-- judged; two destinations acknowledged at the same instant then cannot both see the other open, and overlapping batches cannot
-- deadlock. Raises OX022, OX023 for the call as a whole.
-- Callers: outbox_dispatcher, outbox.settle_one.
create or replace function outbox.settle_attempts(p_outcomes json) returns setof outbox.settled_attempt
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_indexscan = on
set enable_nestloop = on
as $$
declare
    v_items outbox.outcome_item[];
    v_event_ids uuid[];
    v_now timestamptz;
begin
    v_items := outbox.read_outcomes(p_outcomes, false);
    v_event_ids := array(select distinct i.event_id from unnest(v_items) as i where i.event_id is not null);
    perform outbox.commit_durably();
    perform
    from outbox.deliveries as d
    where d.event_id = any(v_event_ids)
    order by d.event_id, d.destination
    for no key update;

    -- Times rise with the items, so that the last acknowledgement of an event is known as such.
    v_now := clock_timestamp();
    v_items := outbox.judge_outcomes(v_items);
    with applied as materialized (
        select i.*, contracts.receipt_prefix(t.receipt_type) as prefix, t.receipt_type
        from unnest(v_items) as i
        join outbox.destinations as t on t.destination = i.destination
        where i.result = 'apply'
    ), finished as (
        insert into outbox.delivery_attempt_finishes (
            attempt_id, finished_at, outcome, retry_disposition, normalized_error_code, sanitized_error_ref
        )
        select a.attempt_id, v_now + a.item * interval '1 microsecond', a.outcome, a.disposition, a.error_code, a.error_ref
        from applied as a
    ), quarantined as (
        insert into outbox.quarantine (
            event_id, destination, reason, event_envelope_digest_algorithm_version, event_envelope_sha256, quarantined_at
        )
        select
            a.event_id, a.destination, coalesce(a.reason, 'attempts_exhausted'), e.event_envelope_digest_algorithm_version,
            e.event_envelope_sha256, v_now
        from applied as a
        join outbox.events as e on e.event_id = a.event_id
        where a.disposition = 'quarantine'
    )
    update outbox.deliveries as d
    set
        status = case a.disposition when 'none' then 'acknowledged' when 'quarantine' then 'quarantined' else 'pending' end,
        available_at = case a.disposition when 'retry' then v_now + a.delay else d.available_at end,
        lease_owner = null,
        lease_token = null,
        lease_expires_at = null,
        current_attempt_id = case a.disposition when 'retry' then null else d.current_attempt_id end,
        last_error_code = coalesce(a.error_code, d.last_error_code),
        last_error_ref = case when a.error_code is null then d.last_error_ref else a.error_ref end,
        delivered_at = case a.disposition when 'none' then v_now + a.item * interval '1 microsecond' end,
        ack_consumer_name = a.ack ->> 'consumerName',
        ack_receipt_type = case a.disposition when 'none' then a.receipt_type end,
        ack_receipt_ref = a.ack #>> array['appliedReceipt', a.prefix || 'Ref'],
        ack_receipt_schema_version = a.ack #>> array['appliedReceipt', a.prefix || 'SchemaVersion'],
        ack_receipt_digest_algorithm_version = a.ack #>> array['appliedReceipt', a.prefix || 'DigestAlgorithmVersion'],
        ack_receipt_digest = decode(a.ack #>> array['appliedReceipt', a.prefix || 'Digest'], 'hex'),
        ack_event_envelope_digest_algorithm_version = a.ack ->> 'eventEnvelopeDigestAlgorithmVersion',
        ack_event_envelope_sha256 = decode(a.ack ->> 'eventEnvelopeSha256', 'hex')
    from applied as a
    where d.event_id = a.event_id and d.destination = a.destination;

    return query select r.* from outbox.settled_results(v_items) as r;
end
$$;
comment on function outbox.settle_attempts(json) is 'Records many outcomes; one row per item, in order. Results: complete, not_complete, retry_scheduled, quarantined, already_settled, stale, invalid.';
