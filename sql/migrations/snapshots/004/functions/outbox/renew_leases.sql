-- Extends the leases of attempts that are still current, also past their deadline. Locks: the deliveries, in the order event_id,
-- destination. A recovered or settled attempt is stale. Raises OX022, OX023 for the call as a whole.
-- Callers: outbox_dispatcher.
create or replace function outbox.renew_leases(p_leases json, p_lease interval) returns setof outbox.settled_attempt
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_indexscan = on
set enable_nestloop = on
as $$
declare
    v_lease interval := outbox.exact_duration(p_lease);
    v_items outbox.outcome_item[];
    v_now timestamptz;
begin
    if not coalesce(v_lease between interval '1 second' and interval '1 hour', false) then
        perform outbox.refuse_argument('lease_is_bounded', 'p_lease', 'Lease for 1 second to 1 hour, and renew.');
    end if;
    v_items := outbox.read_outcomes(p_leases, true);
    perform
    from outbox.deliveries as d
    where exists (select from unnest(v_items) as i where i.event_id = d.event_id and i.destination = d.destination)
        and d.event_id = any(array(select i.event_id from unnest(v_items) as i))
    order by d.event_id, d.destination
    for no key update;

    v_now := clock_timestamp();
    return query
    with renewed as (
        update outbox.deliveries as d
        set lease_expires_at = greatest(d.lease_expires_at, v_now + v_lease)
        from (
            select distinct i.event_id, i.destination, i.attempt_id, i.lease_token
            from unnest(v_items) as i
            where i.result is null
        ) as i
        where d.event_id = i.event_id
            and d.destination = i.destination
            and d.current_attempt_id = i.attempt_id
            and d.lease_token = i.lease_token
            and d.lease_expires_at is not null
        returning d.event_id, d.destination, d.current_attempt_id as attempt_id, d.lease_token
    )
    select
        i.item, i.event_id, i.destination, i.attempt_id,
        case when i.result is not null then i.result when r.attempt_id is not null then 'renewed' else 'stale' end,
        case when i.result is not null then i.detail when r.attempt_id is null then 'not the current attempt' end
    from unnest(v_items) as i
    left join renewed as r
        on r.event_id = i.event_id
        and r.destination = i.destination
        and r.attempt_id = i.attempt_id
        and r.lease_token = i.lease_token
    order by i.item;
end
$$;
comment on function outbox.renew_leases(json, interval) is 'Extends leases that are still current, past their deadline too; one row per item: renewed, stale or invalid.';
