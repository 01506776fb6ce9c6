-- What waits, per destination. Counts stop at 10,000, so that a look never counts millions of rows. Readers: outbox_reader,
-- outbox_payload_reader.
create or replace view outbox.backlog as
select
    t.destination,
    coalesce(a.action = 'pause', false) as paused,
    w.waiting,
    w.waiting >= 10000 as waiting_is_capped,
    w.oldest_created_at,
    w.next_available_at,
    l.leased,
    l.leased >= 10000 as leased_is_capped,
    q.quarantined,
    q.quarantined >= 10000 as quarantined_is_capped
from outbox.destinations as t
left join lateral (
    select x.action
    from outbox.operator_actions as x
    where x.destination = t.destination and x.action in ('pause', 'resume')
    order by x.action_id desc
    limit 1
) as a on true
cross join lateral (
    select count(*) as waiting, min(x.created_at) as oldest_created_at, min(x.available_at) as next_available_at
    from (
        select d.created_at, d.available_at
        from outbox.deliveries as d
        where d.destination = t.destination and (d.status = 'pending' or (d.status = 'leased' and d.lease_expires_at is null))
        order by d.available_at, d.created_at, d.event_id
        limit 10000
    ) as x
) as w
cross join lateral (
    select count(*) as leased
    from (
        select
        from outbox.deliveries as d
        where d.status = 'leased' and d.lease_expires_at is not null and d.destination = t.destination
        limit 10000
    ) as x
) as l
cross join lateral (
    select count(*) as quarantined
    from (
        select
        from outbox.deliveries as d
        where d.status = 'quarantined' and d.destination = t.destination
        limit 10000
    ) as x
) as q;
comment on view outbox.backlog is 'Per destination: paused, waiting (pending or recovered), leased and quarantined deliveries, each counted up to 10,000, and how old the oldest of those is.';
