-- Each move of a delivery is backed by the attempt facts of the same statement: a claim by its start, every end of a lease by the
-- one matching finish, a quarantine by its row. Once per statement. No locks.
create or replace function outbox.check_delivery_agrees_with_attempts() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_delivery record;
begin
    select n.event_id, n.destination into v_delivery
    from moved as n
    join was as o on o.event_id = n.event_id and o.destination = n.destination
    left join outbox.delivery_attempt_finishes as f on f.attempt_id = o.current_attempt_id
    left join outbox.delivery_attempt_starts as s
        on s.attempt_id = n.current_attempt_id and n.current_attempt_id is distinct from o.current_attempt_id
    left join outbox.quarantine as q
        on n.status = 'quarantined' and q.event_id = n.event_id and q.destination = n.destination and q.generation = n.generation
    cross join lateral (
        select (f.normalized_error_code, f.sanitized_error_ref) is not distinct from (n.last_error_code, n.last_error_ref) as same_error
    ) as x
    where not coalesce(case
        when n.status = 'leased' and n.current_attempt_id is distinct from o.current_attempt_id then
            s.event_id = n.event_id and s.destination = n.destination and s.generation = n.generation
            and s.lease_token = n.lease_token and s.worker = n.lease_owner and s.started_at = n.last_attempt_at
        when n.status = 'leased' and n.lease_expires_at is not null then f.attempt_id is null
        when n.status = 'leased' then f.outcome = 'lease_expired_unknown' and x.same_error
        when n.status = 'pending' then f.outcome = 'retryable' and f.retry_disposition = 'retry' and x.same_error
        when n.status = 'acknowledged' then f.outcome = 'acknowledged' and f.finished_at = n.delivered_at
        when n.status = 'quarantined' then f.retry_disposition = 'quarantine' and x.same_error and q.event_id is not null
    end, false)
    limit 1;
    if found then
        raise exception using
            errcode = 'OX031',
            constraint = 'delivery_agrees_with_attempts',
            message = 'a delivery moved without the attempt facts that say so',
            detail = format('delivery %s/%s', v_delivery.event_id, v_delivery.destination),
            hint = 'Use outbox.claim_deliveries, outbox.settle_attempts and outbox.recover_expired_leases.';
    end if;
    return null;
end
$$;
comment on function outbox.check_delivery_agrees_with_attempts() is 'Trigger: every move of a delivery is backed by its attempt facts.';

create or replace trigger delivery_agrees_with_attempts
after update on outbox.deliveries
referencing old table as was new table as moved
for each statement execute function outbox.check_delivery_agrees_with_attempts();
alter table outbox.deliveries enable always trigger delivery_agrees_with_attempts;
comment on trigger delivery_agrees_with_attempts on outbox.deliveries is 'Every move of a delivery is backed by its attempt facts.';
