-- An event id for a producer: UUIDv7.
-- Callers: outbox_producer.
create or replace function outbox.new_event_id() returns uuid
language sql
volatile
called on null input
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
    select outbox.uuid_v7()
$$;
comment on function outbox.new_event_id() is 'A new event id (UUIDv7), to be allocated before the envelope is built.';
