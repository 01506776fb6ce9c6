-- A publication exists only for an event whose mandatory deliveries are all acknowledged, and not before the last of them. Once per
-- statement; not enabled always, so that a logical replica can copy publications before deliveries.
create or replace function outbox.check_publication_is_complete() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_event_id uuid;
begin
    select p.event_id into v_event_id
    from published as p
    left join outbox.deliveries as d on d.event_id = p.event_id
    group by p.event_id, p.published_at
    having not coalesce(bool_and(d.status = 'acknowledged') and p.published_at >= max(d.delivered_at), false)
    limit 1;
    if found then
        raise exception using
            errcode = 'OX031',
            constraint = 'publication_is_complete',
            message = 'the event has a mandatory delivery that is not acknowledged, or a later acknowledgement',
            detail = format('event %s', v_event_id),
            hint = 'Events are published by the acknowledgement of their last delivery, never by hand.';
    end if;
    return null;
end
$$;
comment on function outbox.check_publication_is_complete() is 'Trigger: only complete events are published.';

create or replace trigger publication_is_complete
after insert on outbox.event_publications
referencing new table as published
for each statement execute function outbox.check_publication_is_complete();
comment on trigger publication_is_complete on outbox.event_publications is 'Only an event whose mandatory deliveries are all acknowledged is published.';
