-- The controlled function behind published_at: publishes each event once, when all of its mandatory deliveries are acknowledged.
-- Locks: the events' deliveries in the order event_id, destination (already held by a settle), then the publication. Raises OX021
-- ack_matches_event. Granted to nobody; called by the trigger event_is_published_when_complete.
-- Callers: trigger event_is_published_when_complete.
create or replace function outbox.publish_if_complete(p_event_ids uuid[]) returns table (event_id uuid, result text)
language plpgsql
volatile
called on null input
parallel unsafe
as $$
#variable_conflict use_column
declare
    v_event_id uuid;
    v_now timestamptz;
begin
    perform
    from outbox.deliveries as d
    where d.event_id = any(p_event_ids)
    order by d.event_id, d.destination
    for no key update;

    v_now := clock_timestamp();
    select d.event_id into v_event_id
    from outbox.deliveries as d
    join outbox.events as e on e.event_id = d.event_id
    where d.event_id = any(p_event_ids)
        and d.status = 'acknowledged'
        and (
            d.ack_event_envelope_sha256 <> e.event_envelope_sha256
            or d.ack_event_envelope_digest_algorithm_version <> e.event_envelope_digest_algorithm_version
        )
    limit 1;
    if v_event_id is not null then
        raise exception using
            errcode = 'OX021',
            constraint = 'ack_matches_event',
            message = 'an acknowledgement is for another envelope than the event''s',
            detail = format('event %s', v_event_id),
            hint = 'Acknowledge through outbox.settle_attempts.';
    end if;
    insert into outbox.event_publications (event_id, published_at)
    select d.event_id, greatest(v_now, max(d.delivered_at))
    from outbox.deliveries as d
    where d.event_id = any(p_event_ids)
    group by d.event_id
    having bool_and(d.status = 'acknowledged')
    order by d.event_id
    on conflict (event_id) do nothing;

    return query
    select i.id, case when p.event_id is null then 'not_complete' else 'complete' end
    from (select distinct u.id from unnest(p_event_ids) as u(id)) as i
    left join outbox.event_publications as p on p.event_id = i.id;
end
$$;
comment on function outbox.publish_if_complete(uuid[]) is 'Internal: The controlled function behind published_at: publishes each event once, when all of its mandatory deliveries are acknowledged.';
