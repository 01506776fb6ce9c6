-- A finish is inserted only with the move of the delivery that it explains, for the attempt that was current, and under a registered
-- error code. Once per statement; not enabled always, so that a logical replica can copy attempts before deliveries.
create or replace function outbox.check_attempt_finish_ends_lease() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_attempt_id uuid;
begin
    select f.attempt_id into v_attempt_id
    from finished as f
    join outbox.delivery_attempt_starts as s on s.attempt_id = f.attempt_id
    join outbox.deliveries as d on d.event_id = s.event_id and d.destination = s.destination
    where not case f.retry_disposition
        when 'none' then d.status = 'acknowledged' and d.current_attempt_id = f.attempt_id
        when 'quarantine' then d.status = 'quarantined' and d.current_attempt_id = f.attempt_id
        when 'retry' then d.status = 'pending' and d.last_error_code = f.normalized_error_code
        when 'reclaim' then d.status = 'leased' and d.lease_expires_at is null and d.current_attempt_id = f.attempt_id
        else false
    end
    or (f.normalized_error_code is not null and not exists (
        select from outbox.error_codes as c where c.error_code = f.normalized_error_code
    ))
    limit 1;
    if found then
        raise exception using
            errcode = 'OX031',
            constraint = 'attempt_finish_ends_lease',
            message = 'an attempt finished without the move of its delivery, or under an unregistered error code',
            detail = format('attempt %s', v_attempt_id),
            hint = 'Use outbox.settle_attempts and outbox.recover_expired_leases.';
    end if;
    return null;
end
$$;
comment on function outbox.check_attempt_finish_ends_lease() is 'Trigger: a finish belongs to the move of its delivery.';

create or replace trigger attempt_finish_ends_lease
after insert on outbox.delivery_attempt_finishes
referencing new table as finished
for each statement execute function outbox.check_attempt_finish_ends_lease();
comment on trigger attempt_finish_ends_lease on outbox.delivery_attempt_finishes is 'A finish belongs to the move of its delivery.';
