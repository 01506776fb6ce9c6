-- Acknowledging the last mandatory delivery publishes the event, in the same transaction and whoever acknowledges it: a complete
-- event cannot be left unpublished. Once per statement. Named to fire after delivery_agrees_with_attempts. Locks: see
-- outbox.publish_if_complete.
create or replace function outbox.publish_acknowledged() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_event_ids uuid[];
begin
    select array_agg(distinct n.event_id) into v_event_ids
    from moved as n
    where n.status = 'acknowledged';
    if v_event_ids is not null then
        perform outbox.publish_if_complete(v_event_ids);
    end if;
    return null;
end
$$;
comment on function outbox.publish_acknowledged() is 'Trigger: publishes events whose last mandatory delivery was acknowledged.';

create or replace trigger event_is_published_when_complete
after update on outbox.deliveries
referencing new table as moved
for each statement execute function outbox.publish_acknowledged();
alter table outbox.deliveries enable always trigger event_is_published_when_complete;
comment on trigger event_is_published_when_complete on outbox.deliveries is 'An event is published when its last mandatory delivery is acknowledged.';
