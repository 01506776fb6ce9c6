-- A start is inserted only with the claim that makes it the current attempt of its delivery. Once per statement; not enabled always,
-- so that a logical replica can copy attempts before deliveries.
create or replace function outbox.check_attempt_start_is_current() returns trigger
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
    select s.attempt_id into v_attempt_id
    from started as s
    left join outbox.deliveries as d
        on d.event_id = s.event_id
        and d.destination = s.destination
        and d.status = 'leased'
        and d.current_attempt_id = s.attempt_id
        and d.lease_token = s.lease_token
    where d.event_id is null
    limit 1;
    if found then
        raise exception using
            errcode = 'OX031',
            constraint = 'attempt_start_is_current',
            message = 'an attempt started without a claim',
            detail = format('attempt %s', v_attempt_id),
            hint = 'Use outbox.claim_deliveries.';
    end if;
    return null;
end
$$;
comment on function outbox.check_attempt_start_is_current() is 'Trigger: a start belongs to the claim of its delivery.';

create or replace trigger attempt_start_is_current
after insert on outbox.delivery_attempt_starts
referencing new table as started
for each statement execute function outbox.check_attempt_start_is_current();
comment on trigger attempt_start_is_current on outbox.delivery_attempt_starts is 'A start belongs to the claim of its delivery.';
