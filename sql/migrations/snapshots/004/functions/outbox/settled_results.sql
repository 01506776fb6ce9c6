-- The results of a settle call after its writes. Of several acknowledged items of an event that is now published only the last
-- says complete. An item that repeated another of the same call is judged against what that one wrote.
-- Callers: outbox.settle_attempts.
create or replace function outbox.settled_results(p_items outbox.outcome_item[]) returns setof outbox.settled_attempt
language sql
stable
called on null input
parallel safe
as $$
    select
        i.item,
        i.event_id,
        i.destination,
        i.attempt_id,
        case
            when i.result = 'repeat' then
                case
                    when f.outcome = i.outcome and f.normalized_error_code is not distinct from i.error_code
                        and (i.outcome <> 'acknowledged' or outbox.same_ack(i.ack, d)) then 'already_settled'
                    else 'stale'
                end
            when i.result <> 'apply' then i.result
            when i.disposition = 'quarantine' then 'quarantined'
            when i.disposition = 'retry' then 'retry_scheduled'
            when p.event_id is not null
                and i.item = max(i.item) filter (where i.result = 'apply' and i.disposition = 'none') over (partition by i.event_id)
                then 'complete'
            else 'not_complete'
        end,
        case when i.result = 'repeat' then outbox.first_result(f, d) else i.detail end
    from unnest(p_items) as i
    left join outbox.deliveries as d on i.result = 'repeat' and d.event_id = i.event_id and d.destination = i.destination
    left join outbox.delivery_attempt_finishes as f on i.result = 'repeat' and f.attempt_id = i.attempt_id
    left join outbox.event_publications as p on i.result = 'apply' and i.disposition = 'none' and p.event_id = i.event_id
    order by i.item
$$;
comment on function outbox.settled_results(outbox.outcome_item[]) is 'Internal: The results of a settle call after its writes.';
