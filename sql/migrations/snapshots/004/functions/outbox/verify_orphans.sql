-- Rows whose parents are gone or never came, which foreign keys refuse but replication and DDL can leave behind. Whole tables, so
-- only in the slice without a lower bound.
-- Callers: outbox.verify.
create or replace function outbox.verify_orphans() returns setof outbox.violation
language sql
stable
called on null input
parallel safe
as $$
    select 'delivery_has_event', 'outbox.deliveries', d.event_id, d.destination, 'no such event'
    from outbox.deliveries as d
    where not exists (select from outbox.events as e where e.event_id = d.event_id)
    union all
    select 'publication_has_event', 'outbox.event_publications', p.event_id, null, 'no such event'
    from outbox.event_publications as p
    where not exists (select from outbox.events as e where e.event_id = p.event_id)
    union all
    select 'attempt_has_delivery', 'outbox.delivery_attempt_starts', s.event_id, s.destination, 'attempt ' || s.attempt_id
    from outbox.delivery_attempt_starts as s
    where not exists (select from outbox.deliveries as d where d.event_id = s.event_id and d.destination = s.destination)
    union all
    select 'finish_has_start', 'outbox.delivery_attempt_finishes', null, null, 'attempt ' || f.attempt_id
    from outbox.delivery_attempt_finishes as f
    where not exists (select from outbox.delivery_attempt_starts as s where s.attempt_id = f.attempt_id)
    union all
    select 'quarantine_has_delivery', 'outbox.quarantine', q.event_id, q.destination, 'no such delivery'
    from outbox.quarantine as q
    where not exists (select from outbox.deliveries as d where d.event_id = q.event_id and d.destination = q.destination)
$$;
comment on function outbox.verify_orphans() is 'Internal: Rows whose parents are gone or never came.';
