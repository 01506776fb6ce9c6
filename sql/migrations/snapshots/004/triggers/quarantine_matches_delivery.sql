-- A quarantine row is inserted only for a quarantined delivery, with its event's digest. Once per statement; not enabled always, so
-- that a logical replica can copy rows in any order.
create or replace function outbox.check_quarantine_matches_delivery() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_row record;
begin
    select q.event_id, q.destination into v_row
    from quarantined as q
    join outbox.events as e on e.event_id = q.event_id
    left join outbox.deliveries as d
        on d.event_id = q.event_id and d.destination = q.destination and d.generation = q.generation and d.status = 'quarantined'
    where d.event_id is null
        or q.event_envelope_sha256 <> e.event_envelope_sha256
        or q.event_envelope_digest_algorithm_version <> e.event_envelope_digest_algorithm_version
    limit 1;
    if found then
        raise exception using
            errcode = 'OX031',
            constraint = 'quarantine_matches_delivery',
            message = 'a quarantine row without a quarantined delivery, or with another digest than its event''s',
            detail = format('delivery %s/%s', v_row.event_id, v_row.destination),
            hint = 'Use outbox.settle_attempts.';
    end if;
    return null;
end
$$;
comment on function outbox.check_quarantine_matches_delivery() is 'Trigger: a quarantine row belongs to a quarantined delivery.';

create or replace trigger quarantine_matches_delivery
after insert on outbox.quarantine
referencing new table as quarantined
for each statement execute function outbox.check_quarantine_matches_delivery();
comment on trigger quarantine_matches_delivery on outbox.quarantine is 'A quarantine row belongs to a quarantined delivery.';
