-- Leases up to p_limit claimable deliveries of one destination: new attempt id, higher fencing token, deadline by the database's
-- clock, attempt_count + 1 and the immutable start, in one transaction. The caller commits, then calls the consumer. Locks: the
-- picked deliveries, for no key update skip locked. The planner is pinned: the claimable index is the only good plan, also with
-- stale statistics. Raises OX023.
-- Callers: outbox_dispatcher.
create or replace function outbox.claim_deliveries(
    p_destination text,
    p_worker text,
    p_limit int,
    p_lease interval,
    p_after outbox.claim_position default null,
    p_max_bytes bigint default null
) returns setof outbox.claimed_delivery
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
    v_now timestamptz;
    v_event_ids uuid[];
begin
    if not exists (select from outbox.destinations as d where d.destination = p_destination) then
        perform outbox.refuse_argument(
            'destination_is_registered', 'p_destination',
            (select 'Registered: ' || string_agg(d.destination, ', ' order by d.destination) || '.' from outbox.destinations as d)
        );
    end if;
    if not coalesce(length(p_worker) between 1 and 200, false) then
        perform outbox.refuse_argument('worker_is_named', 'p_worker', 'Give the dispatcher a name of 1 to 200 characters.');
    end if;
    if not coalesce(p_limit between 1 and 1000, false) then
        perform outbox.refuse_argument('claim_is_bounded', 'p_limit', 'Claim 1 to 1000 deliveries at once.');
    end if;
    if not coalesce(v_lease between interval '1 second' and interval '1 hour', false) then
        perform outbox.refuse_argument('lease_is_bounded', 'p_lease', 'Lease for 1 second to 1 hour, and renew.');
    end if;
    if p_max_bytes < 1 then
        perform outbox.refuse_argument('claim_is_bounded', 'p_max_bytes', 'Allow at least one byte; one delivery is always claimed.');
    end if;
    if not (p_after is null or p_after is not null) then
        perform outbox.refuse_argument('position_is_whole', 'p_after', 'Give all three columns of the last claimed row, or null.');
    end if;
    if outbox.is_paused(p_destination) then
        return;
    end if;
    perform outbox.commit_durably();

    v_now := clock_timestamp();
    if p_after is null then
        select array_agg(c.event_id order by c.available_at, c.created_at, c.event_id) into v_event_ids
        from (
            select d.event_id, d.available_at, d.created_at
            from outbox.deliveries as d
            where d.destination = p_destination
                and (d.status = 'pending' or (d.status = 'leased' and d.lease_expires_at is null))
                and d.available_at <= v_now
            order by d.available_at, d.created_at, d.event_id
            limit p_limit
            for no key update skip locked
        ) as c;
    else
        select array_agg(c.event_id order by c.available_at, c.created_at, c.event_id) into v_event_ids
        from (
            select d.event_id, d.available_at, d.created_at
            from outbox.deliveries as d
            where d.destination = p_destination
                and (d.status = 'pending' or (d.status = 'leased' and d.lease_expires_at is null))
                and d.available_at <= v_now
                and (d.available_at, d.created_at, d.event_id) > (p_after.available_at, p_after.created_at, p_after.event_id)
            order by d.available_at, d.created_at, d.event_id
            limit p_limit
            for no key update skip locked
        ) as c;
    end if;
    if v_event_ids is null then
        return;
    end if;
    if p_max_bytes is not null then
        select array_agg(s.event_id order by s.place) into v_event_ids
        from (
            select i.event_id, i.place, sum(octet_length(e.event_envelope)) over (order by i.place) as bytes
            from unnest(v_event_ids) with ordinality as i(event_id, place)
            join outbox.events as e on e.event_id = i.event_id
        ) as s
        where s.place = 1 or s.bytes <= p_max_bytes;
    end if;

    return query
    with picked as materialized (
        select i.event_id, i.place, outbox.uuid_v7() as attempt_id, nextval('outbox.lease_tokens') as lease_token
        from unnest(v_event_ids) with ordinality as i(event_id, place)
    ), started as (
        insert into outbox.delivery_attempt_starts (attempt_id, event_id, destination, lease_token, worker, started_at)
        select p.attempt_id, p.event_id, p_destination, p.lease_token, p_worker, v_now
        from picked as p
    ), leased as (
        update outbox.deliveries as d
        set
            status = 'leased',
            lease_owner = p_worker,
            lease_token = p.lease_token,
            lease_expires_at = v_now + v_lease,
            current_attempt_id = p.attempt_id,
            attempt_count = d.attempt_count + 1,
            last_attempt_at = v_now
        from picked as p
        where d.event_id = p.event_id and d.destination = p_destination
        returning d.*, p.place
    )
    select
        l.event_id, l.destination, l.generation, l.consumer_name, l.current_attempt_id, l.lease_token, l.lease_expires_at,
        l.attempt_count, l.available_at, l.created_at, e.event_type, e.event_schema_version, e.aggregate_id, e.occurred_at,
        e.event_envelope, e.event_envelope_digest_algorithm_version, e.event_envelope_sha256, e.delivery_set_version,
        e.delivery_set_definition_schema_version, e.delivery_set_definition_digest_algorithm_version,
        e.delivery_set_definition_digest, l.expected_receipt_type, l.expected_receipt_schema_version,
        l.required_projection_name, l.required_projection_version
    from leased as l
    join outbox.events as e on e.event_id = l.event_id
    order by l.place;
end
$$;
comment on function outbox.claim_deliveries(text, text, int, interval, outbox.claim_position, bigint) is 'Leases up to p_limit deliveries of a destination (1 to 1000, for 1 s to 1 h; at least one row whatever p_max_bytes says), in the order available_at, created_at, event_id. Nothing while the destination is paused. p_after is a hint.';
