-- Looks for broken invariants in facts and states; no row means none. Events are taken by created_at from p_from up to before
-- p_to, so that callers go slice by slice; definitions and triggers are checked in every slice, rows without parents in the one without p_from. It hashes the stored bytes and compares
-- columns; with p_canonical it also writes each envelope in canonical form again. One snapshot per call, no locks: it runs beside
-- production load. Callers: outbox_reader, outbox_payload_reader.
create or replace function outbox.verify(
    p_from timestamptz default null,
    p_to timestamptz default null,
    p_canonical boolean default false
) returns setof outbox.violation
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
    select v.* from outbox.verify_triggers() as v
    union all
    select v.* from outbox.verify_orphans() as v where p_from is null
    union all
    select v.* from outbox.verify_definitions() as v
    union all
    select v.* from outbox.verify_events(coalesce(p_from, '-infinity'), coalesce(p_to, 'infinity'), coalesce(p_canonical, false)) as v
    union all
    select v.* from outbox.verify_deliveries(coalesce(p_from, '-infinity'), coalesce(p_to, 'infinity')) as v
$$;
comment on function outbox.verify(timestamptz, timestamptz, boolean) is 'Broken invariants among the events created in [p_from, p_to), their deliveries, attempts, publications and quarantines, and in the registered definitions. No row: none found. p_canonical also recomputes each canonical form.';
