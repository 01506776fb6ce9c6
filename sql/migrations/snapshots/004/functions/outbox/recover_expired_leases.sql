-- Closes attempts whose lease ran out as lease_expired_unknown, and makes their deliveries claimable again after p_delay. The
-- consumer may have been called: the next attempt converges on its first receipt. Any dispatcher may call it, no leader, and it
-- looks at nothing but the deadline. Locks: the expired deliveries, for no key update skip locked; a row that a settle or a
-- renewal holds is left to it. Raises OX023.
-- Callers: outbox_dispatcher.
create or replace function outbox.recover_expired_leases(p_limit int, p_delay interval default '0') returns setof outbox.recovered_attempt
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
    v_delay interval := outbox.exact_duration(p_delay);
    v_now timestamptz;
    v_lost outbox.recovered_attempt[];
begin
    if not coalesce(p_limit between 1 and 1000, false) then
        perform outbox.refuse_argument('recovery_is_bounded', 'p_limit', 'Recover 1 to 1000 leases at once.');
    end if;
    if not coalesce(v_delay between interval '0' and interval '1 day', false) then
        perform outbox.refuse_argument('recovery_is_bounded', 'p_delay', 'Delay by 0 to 1 day.');
    end if;
    perform outbox.commit_durably();
    v_now := clock_timestamp();
    select array_agg(
        row(
            l.event_id, l.destination, l.generation, l.current_attempt_id, l.lease_token, l.lease_owner, l.attempt_count, l.lease_expires_at
        )::outbox.recovered_attempt
        order by l.lease_expires_at, l.event_id
    ) into v_lost
    from (
        select d.*
        from outbox.deliveries as d
        where d.status = 'leased' and d.lease_expires_at <= v_now
            -- never so, unless replication or DDL did damage: one such row must not stop the recovery of all others
            and not exists (select from outbox.delivery_attempt_finishes as f where f.attempt_id = d.current_attempt_id)
        order by d.lease_expires_at
        limit p_limit
        for no key update skip locked
    ) as l;

    return query
    with lost as materialized (
        select l.* from unnest(v_lost) as l
    ), finished as (
        insert into outbox.delivery_attempt_finishes (attempt_id, finished_at, outcome, retry_disposition, normalized_error_code)
        select l.attempt_id, v_now, 'lease_expired_unknown', 'reclaim', 'lease_expired_unknown'
        from lost as l
    ), recovered as (
        update outbox.deliveries as d
        set
            lease_owner = null,
            lease_expires_at = null,
            available_at = v_now + v_delay,
            last_error_code = 'lease_expired_unknown',
            last_error_ref = null
        from lost as l
        where d.event_id = l.event_id and d.destination = l.destination
    )
    select l.* from lost as l;
end
$$;
comment on function outbox.recover_expired_leases(int, interval) is 'Closes up to p_limit expired leases (1 to 1000) as lease_expired_unknown and makes their deliveries claimable after p_delay.';
