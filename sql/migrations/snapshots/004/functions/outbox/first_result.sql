-- The result that the settle call which wrote a finish returned. An acknowledgement completed its event when no other delivery of
-- the event was acknowledged later.
-- Callers: outbox.judge_outcomes, outbox.settled_results.
create or replace function outbox.first_result(p_finish outbox.delivery_attempt_finishes, p_delivery outbox.deliveries) returns text
language sql
stable
called on null input
parallel safe
as $$
    select case
        when p_finish.outcome = 'acknowledged' then
            case
                when exists (select from outbox.event_publications as p where p.event_id = p_delivery.event_id)
                    and not exists (
                        select
                        from outbox.deliveries as o
                        where o.event_id = p_delivery.event_id and o.delivered_at > p_delivery.delivered_at
                    ) then 'complete'
                else 'not_complete'
            end
        when p_finish.retry_disposition = 'quarantine' then 'quarantined'
        when p_finish.retry_disposition = 'retry' then 'retry_scheduled'
        else p_finish.outcome
    end
$$;
comment on function outbox.first_result(outbox.delivery_attempt_finishes, outbox.deliveries) is 'Internal: The result that the settle call which wrote a finish returned.';
