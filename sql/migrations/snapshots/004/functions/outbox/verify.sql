-- Looks for broken invariants in facts and states; no row means none. Events are taken by created_at from p_from up to before
-- p_to, so that callers go slice by slice; triggers, definitions and rows without parents are checked where p_from is null, that
-- is once in a walk. It hashes the stored bytes and compares columns; with p_canonical it also writes each envelope in canonical
-- form again. One snapshot per call, no locks: it runs beside production load.
-- Callers: outbox_payload_reader, outbox_reader.
create or replace function outbox.verify(
    p_from timestamptz default null,
    p_to timestamptz default null,
    p_canonical boolean default false
) returns setof outbox.violation
language sql
stable
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
    select v.* from outbox.verify_triggers() as v where p_from is null
    union all
    select v.* from outbox.verify_orphans() as v where p_from is null
    union all
    select v.* from outbox.verify_definitions() as v where p_from is null
    union all
    select v.* from outbox.verify_events(coalesce(p_from, '-infinity'), coalesce(p_to, 'infinity'), coalesce(p_canonical, false)) as v
    union all
    select v.* from outbox.verify_deliveries(coalesce(p_from, '-infinity'), coalesce(p_to, 'infinity')) as v
$$;
comment on function outbox.verify(timestamptz, timestamptz, boolean) is 'Broken invariants among the events created in [p_from, p_to), their deliveries, attempts, publications and quarantines, and, when p_from is null, in the registered definitions, the triggers and rows without parents. No row: none found. p_canonical also recomputes each canonical form.';
