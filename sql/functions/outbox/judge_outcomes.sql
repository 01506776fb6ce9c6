-- Decides each item of a settle call against the locked rows: apply, or the result it gets instead. The fence is identity: an
-- outcome counts while its attempt and token are current and the lease was not recovered, whatever the clock says. Of two items
-- of one attempt that could apply the first does; the other is judged again afterwards (repeat). Raises nothing.
-- Callers: outbox.settle_attempts.
create or replace function outbox.judge_outcomes(p_items outbox.outcome_item[]) returns outbox.outcome_item[]
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_max_attempts int;
    v_items outbox.outcome_item[];
begin
    select s.max_attempts into strict v_max_attempts from outbox.settings as s;
    select array_agg(
        row(
            j.item, j.event_id, j.destination, j.attempt_id, j.lease_token, j.outcome, j.code, j.error_ref, j.delay, j.reason, j.ack,
            j.receipt, j.astral, j.disposition,
            case when j.result = 'apply' and j.turn > 1 then 'repeat' else j.result end,
            j.detail
        )::outbox.outcome_item
        order by j.item
    ) into v_items
    from (
        select x.*, row_number() over (partition by x.attempt_id, x.result order by x.item) as turn
        from (
            select
                i.item, i.event_id, i.destination, i.attempt_id, i.lease_token, i.outcome, c.code, i.error_ref, i.delay, i.reason, i.ack,
                i.receipt, i.astral,
                case i.outcome
                    when 'acknowledged' then 'none'
                    when 'non_retryable' then 'quarantine'
                    when 'retryable' then
                        case
                            when v_max_attempts is not null and c.code <> 'released_unsent'
                                and outbox.failed_attempts(i.event_id, i.destination) + 1 >= v_max_attempts then 'quarantine'
                            else 'retry'
                        end
                end as disposition,
                case
                    when i.result is not null then i.result
                    when n.current and a.fault is not null then 'invalid'
                    when n.current then 'apply'
                    when s.lease_token = i.lease_token and f.outcome = i.outcome and f.normalized_error_code is not distinct from c.code
                        and (i.outcome <> 'acknowledged' or outbox.same_ack(i.ack, d)) then 'already_settled'
                    else 'stale'
                end as result,
                case
                    when i.result is not null then i.detail
                    when n.current then a.fault
                    when s.attempt_id is null then 'no such attempt of this delivery'
                    when s.lease_token <> i.lease_token then 'another lease token'
                    when f.outcome = i.outcome then outbox.first_result(f, d)
                    when f.outcome is not null then 'finished as ' || f.outcome
                    else 'not the current attempt'
                end as detail
            from unnest(p_items) as i
            left join outbox.deliveries as d on d.event_id = i.event_id and d.destination = i.destination
            left join outbox.delivery_attempt_starts as s
                on s.attempt_id = i.attempt_id and s.event_id = i.event_id and s.destination = i.destination
            left join outbox.delivery_attempt_finishes as f on f.attempt_id = s.attempt_id
            left join outbox.events as e on e.event_id = i.event_id
            cross join lateral (
                select case
                    when i.error_code is null then null
                    when exists (select from outbox.error_codes as x where x.error_code = i.error_code) then i.error_code
                    else 'unregistered_error_code'
                end as code
            ) as c
            cross join lateral (
                select coalesce(
                    d.status = 'leased' and d.lease_expires_at is not null
                    and d.current_attempt_id = i.attempt_id and d.lease_token = i.lease_token and f.attempt_id is null,
                    false
                ) as current
            ) as n
            cross join lateral (
                select case
                    when n.current and i.outcome = 'acknowledged' then outbox.ack_fault(
                        i.ack, i.receipt, i.astral, d, e.event_type, e.event_schema_version, e.event_envelope_sha256
                    )
                end as fault
            ) as a
        ) as x
    ) as j;
    return v_items;
end
$$;
comment on function outbox.judge_outcomes(outbox.outcome_item[]) is 'Internal: Decides each item of a settle call against the locked rows: apply, or the result it gets instead.';
