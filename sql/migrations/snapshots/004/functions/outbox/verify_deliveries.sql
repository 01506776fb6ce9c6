-- Deliveries of a slice's events: frozen member, attempts behind the state, acknowledgement, quarantine.
-- Callers: outbox.verify.
create or replace function outbox.verify_deliveries(p_from timestamptz, p_to timestamptz) returns setof outbox.violation
language sql
stable
called on null input
parallel safe
as $$
    with delivery as not materialized (
        select d.*, e.event_type, e.event_schema_version, e.event_envelope_sha256, e.event_envelope_digest_algorithm_version,
            e.delivery_set_version as event_delivery_set_version, e.created_at as event_created_at
        from outbox.events as e
        join outbox.deliveries as d on d.event_id = e.event_id
        where e.created_at >= p_from and e.created_at < p_to
    )
    select 'delivery_is_frozen_member', 'outbox.deliveries', d.event_id, d.destination, 'not a mandatory member of the frozen definition'
    from delivery as d
    left join outbox.delivery_set_members as m
        on m.delivery_set_version = d.event_delivery_set_version
        and m.event_type = d.event_type
        and m.event_schema_version = d.event_schema_version
        and m.destination = d.destination
    where (
        d.delivery_set_version, d.consumer_name, d.mandatory, d.expected_receipt_type, d.expected_receipt_schema_version,
        d.required_projection_name, d.required_projection_version, d.created_at
    ) is distinct from (
        m.delivery_set_version, m.consumer_name, m.mandatory, m.expected_receipt_type, m.expected_receipt_schema_version,
        m.projection_name, m.projection_version, d.event_created_at
    )
    union all
    select 'delivery_agrees_with_attempts', 'outbox.deliveries', a.event_id, a.destination, a.fault
    from (
        select d.event_id, d.destination,
            case
                when d.attempt_count <> n.starts then 'attempt_count differs from the number of starts'
                when d.status = 'pending' and n.open > 0 then 'pending with an open attempt'
                when d.status = 'leased' and d.lease_expires_at is not null and (n.open <> 1 or c.attempt_id is null or f.attempt_id is not null)
                    then 'leased without exactly one open current attempt'
                when d.status = 'leased' and d.lease_expires_at is null and (n.open > 0 or f.outcome is distinct from 'lease_expired_unknown')
                    then 'recovered, but its attempt is not closed as lease_expired_unknown'
                when d.status = 'acknowledged' and (n.open > 0 or f.outcome is distinct from 'acknowledged')
                    then 'acknowledged without the matching finish'
                when d.status = 'quarantined' and (n.open > 0 or f.retry_disposition is distinct from 'quarantine')
                    then 'quarantined without the matching finish'
                when n.successes > case d.status when 'acknowledged' then 1 else 0 end then 'a finish says acknowledged, the delivery does not'
                when d.status = 'leased' and (d.lease_token <> n.highest_token or c.lease_token <> d.lease_token)
                    then 'the current token is not the highest one'
            end as fault
        from delivery as d
        left join outbox.delivery_attempt_starts as c
            on c.attempt_id = d.current_attempt_id and c.event_id = d.event_id and c.destination = d.destination
        left join outbox.delivery_attempt_finishes as f on f.attempt_id = c.attempt_id
        cross join lateral (
            select
                count(*) as starts,
                count(*) filter (where y.attempt_id is null) as open,
                count(*) filter (where y.outcome = 'acknowledged') as successes,
                max(x.lease_token) as highest_token
            from outbox.delivery_attempt_starts as x
            left join outbox.delivery_attempt_finishes as y on y.attempt_id = x.attempt_id
            where x.event_id = d.event_id and x.destination = d.destination
        ) as n
    ) as a
    where a.fault is not null
    union all
    select 'ack_matches_event', 'outbox.deliveries', d.event_id, d.destination, 'the acknowledgement is for another envelope or member'
    from delivery as d
    where d.status = 'acknowledged'
        and (
            d.ack_consumer_name, d.ack_receipt_type, d.ack_receipt_schema_version, d.ack_event_envelope_digest_algorithm_version,
            d.ack_event_envelope_sha256
        ) is distinct from (
            d.consumer_name, d.expected_receipt_type, d.expected_receipt_schema_version, d.event_envelope_digest_algorithm_version,
            d.event_envelope_sha256
        )
    union all
    select 'quarantine_matches_delivery', 'outbox.quarantine', d.event_id, d.destination, 'quarantine row and status disagree'
    from delivery as d
    left join outbox.quarantine as q
        on q.event_id = d.event_id and q.destination = d.destination and q.generation = d.generation
    where (d.status = 'quarantined') <> (q.event_id is not null)
        or (q.event_envelope_digest_algorithm_version, q.event_envelope_sha256)
            <> (d.event_envelope_digest_algorithm_version, d.event_envelope_sha256)
$$;
comment on function outbox.verify_deliveries(timestamptz, timestamptz) is 'Internal: Deliveries of a slice''s events: frozen member, attempts behind the state, acknowledgement, quarantine.';
