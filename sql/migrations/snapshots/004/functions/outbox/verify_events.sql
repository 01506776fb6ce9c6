-- Events of a slice: digest, canonical form, columns against the envelope, frozen definition, publication.
-- Callers: outbox.verify.
create or replace function outbox.verify_events(p_from timestamptz, p_to timestamptz, p_canonical boolean) returns setof outbox.violation
language sql
stable
called on null input
parallel unsafe
as $$
    select 'envelope_digest_matches', 'outbox.events', e.event_id, null::text, 'sha256 of event_envelope'
    from outbox.events as e
    where e.created_at >= p_from and e.created_at < p_to
        and sha256(convert_to(e.event_envelope, 'UTF8')) <> e.event_envelope_sha256
    union all
    select 'envelope_is_canonical', 'outbox.events', e.event_id, null, c.fault
    from outbox.events as e
    cross join lateral (select case when p_canonical then outbox.canonical_fault(e.event_envelope) end as fault) as c
    where p_canonical and e.created_at >= p_from and e.created_at < p_to and c.fault is not null
    union all
    -- The canonical text around the payload follows from the columns; only the digits of occurredAt are the producer's.
    select 'envelope_matches_columns', 'outbox.events', e.event_id, null, 'a column differs from the envelope'
    from outbox.events as e
    cross join lateral (
        select
            concat(
                '{', '"actorPrincipalId":' || to_json(e.actor_principal_id)::text || ',',
                '"aggregateId":', to_json(e.aggregate_id), ',"aggregateRevision":', e.aggregate_revision,
                ',"causationId":' || to_json(e.causation_id)::text, ',"correlationId":', to_json(e.correlation_id),
                ',"envelopeSchemaVersion":"1","eventId":"', e.event_id, '","eventSchemaVersion":', to_json(e.event_schema_version),
                ',"eventType":', to_json(e.event_type), ',"occurredAt":"'
            ) as head,
            concat('","operationId":', to_json(e.operation_id), ',"payload":{') as middle,
            concat(
                '}', ',"projectId":' || to_json(e.project_id)::text, ',"tenantId":', to_json(e.tenant_id),
                ',"tenantKind":', to_json(e.tenant_kind), ',"traceId":' || to_json(e.trace_id)::text,
                ',"workspaceId":', to_json(e.workspace_id), '}'
            ) as tail
    ) as x
    cross join lateral (select substr(e.event_envelope, length(x.head) + 1, 31) as occurred) as y
    cross join lateral (select split_part(y.occurred, '"', 1) as occurred) as z
    where e.created_at >= p_from and e.created_at < p_to
        and not (
            starts_with(e.event_envelope, x.head)
            and case when contracts.is_rfc3339_utc(z.occurred) then z.occurred::timestamptz = e.occurred_at else false end
            and substr(e.event_envelope, length(x.head) + length(z.occurred) + 1, length(x.middle)) = x.middle
            and right(e.event_envelope, length(x.tail)) = x.tail
        )
    union all
    select 'delivery_set_is_complete', 'outbox.events', e.event_id, null, 'froze no registered definition that applies to it'
    from outbox.events as e
    left join outbox.delivery_set_versions as v
        on v.delivery_set_version = e.delivery_set_version
        and v.delivery_set_definition_schema_version = e.delivery_set_definition_schema_version
        and v.delivery_set_definition_digest_algorithm_version = e.delivery_set_definition_digest_algorithm_version
        and v.delivery_set_definition_digest = e.delivery_set_definition_digest
    left join outbox.delivery_set_applicable_events as a
        on a.delivery_set_version = v.delivery_set_version
        and a.event_type = e.event_type
        and a.event_schema_version = e.event_schema_version
    where e.created_at >= p_from and e.created_at < p_to and a.event_type is null
    union all
    select 'delivery_set_is_complete', 'outbox.deliveries', e.event_id, m.destination, 'a mandatory delivery is missing'
    from outbox.events as e
    join outbox.delivery_set_members as m
        on m.delivery_set_version = e.delivery_set_version
        and m.event_type = e.event_type
        and m.event_schema_version = e.event_schema_version
        and m.mandatory
    left join outbox.deliveries as d on d.event_id = e.event_id and d.destination = m.destination
    where e.created_at >= p_from and e.created_at < p_to and d.event_id is null
    union all
    select 'event_is_published_when_complete', 'outbox.event_publications', s.event_id, null,
        case
            when s.published_at is null then 'complete but not published'
            when s.open > 0 then 'published with an open mandatory delivery'
            else 'published before its last acknowledgement'
        end
    from (
        select e.event_id, p.published_at, count(*) filter (where d.status <> 'acknowledged') as open, max(d.delivered_at) as delivered_at
        from outbox.events as e
        join outbox.deliveries as d on d.event_id = e.event_id
        left join outbox.event_publications as p on p.event_id = e.event_id
        where e.created_at >= p_from and e.created_at < p_to
        group by e.event_id, p.published_at
    ) as s
    where (s.open = 0) <> (s.published_at is not null) or s.published_at < s.delivered_at
$$;
comment on function outbox.verify_events(timestamptz, timestamptz, boolean) is 'Internal: Events of a slice: digest, canonical form, columns against the envelope, frozen definition, publication.';
