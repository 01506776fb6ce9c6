-- At commit every new event has a delivery for each mandatory member of the definition it froze, and froze a registered quadruple
-- that applies to its exact pair. Deferred, so security definer: it runs as the committing role. Extra rows are the business of
-- delivery_is_frozen_member. Not enabled always, so that a logical replica can copy rows in any order.
create or replace function outbox.check_delivery_set_is_complete() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_members bigint;
    v_missing text;
begin
    select count(*), min(m.destination) filter (where d.event_id is null) into v_members, v_missing
    from outbox.delivery_set_versions as v
    join outbox.delivery_set_members as m
        on m.delivery_set_version = v.delivery_set_version
        and m.event_type = new.event_type
        and m.event_schema_version = new.event_schema_version
        and m.mandatory
    left join outbox.deliveries as d on d.event_id = new.event_id and d.destination = m.destination
    where v.delivery_set_version = new.delivery_set_version
        and v.delivery_set_definition_schema_version = new.delivery_set_definition_schema_version
        and v.delivery_set_definition_digest_algorithm_version = new.delivery_set_definition_digest_algorithm_version
        and v.delivery_set_definition_digest = new.delivery_set_definition_digest;
    if v_members = 0 or v_missing is not null then
        raise exception using
            errcode = 'OX040',
            constraint = 'delivery_set_is_complete',
            message = case
                when v_members = 0 then 'the event froze no registered definition that applies to it'
                else 'the event lacks a mandatory delivery of the definition that it froze'
            end,
            detail = format('event %s%s', new.event_id, coalesce(', destination ' || v_missing, '')),
            hint = 'Events and deliveries are created together by outbox.append_event and outbox.append_events only.';
    end if;
    return null;
end
$$;
comment on function outbox.check_delivery_set_is_complete() is 'Deferred trigger: an event commits only with all of its mandatory deliveries.';

-- A constraint trigger cannot be replaced in place, and dropping it would lock out every reader: a changed one is dropped in
-- retired.sql first.
do $create$
begin
    if not exists (
        select
        from pg_catalog.pg_trigger as t
        where t.tgrelid = 'outbox.events'::pg_catalog.regclass and t.tgname = 'delivery_set_is_complete'
    ) then
        create constraint trigger delivery_set_is_complete
        after insert on outbox.events
        deferrable initially deferred
        for each row execute function outbox.check_delivery_set_is_complete();
    end if;
end
$create$;
comment on trigger delivery_set_is_complete on outbox.events is 'An event commits only with all of its mandatory deliveries.';
