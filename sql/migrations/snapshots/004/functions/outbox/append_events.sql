-- Appends events in order, inside the caller's domain transaction. All or nothing. Locks and errors: outbox.append_envelopes.
-- Callers: outbox_producer.
create or replace function outbox.append_events(p_envelopes json[]) returns setof outbox.appended_event
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
    return query select a.* from outbox.append_envelopes(p_envelopes, true) as a;
end
$$;
comment on function outbox.append_events(json[]) is 'Appends EventEnvelope@1 objects in order, in the caller''s transaction, and freezes their deliveries. Raises OX001 to OX007; paths start with the item''s number.';
