-- Events of a slice: digest, canonical form, columns against the envelope, frozen definition, publication. Called by outbox.verify.
create or replace function outbox.verify_events(p_from timestamptz, p_to timestamptz, p_canonical boolean) returns setof outbox.violation
language sql
stable
as $$
    select 'envelope_digest_matches', 'outbox.events', e.event_id, null::text, 'sha256 of event_envelope'
    from outbox.events as e
    where e.created_at >= p_from and e.created_at < p_to
        and sha256(convert_to(e.event_envelope, 'UTF8')) <> e.event_envelope_sha256
    union all
    select 'envelope_is_canonical', 'outbox.events', e.event_id, null, 'event_envelope'
    from outbox.events as e
    where p_canonical and e.created_at >= p_from and e.created_at < p_to
        and contracts.jcs(e.event_envelope::json) <> e.event_envelope
    union all
    select 'envelope_matches_columns', 'outbox.events', e.event_id, null, 'a column differs from the envelope'
    from outbox.events as e
    cross join lateral json_to_record(e.event_envelope::json) as x(
        "eventId" uuid, "eventType" text, "eventSchemaVersion" text, "aggregateId" text, "aggregateRevision" bigint, "tenantKind" text,
        "tenantId" text, "workspaceId" text, "projectId" text, "actorPrincipalId" text, "correlationId" text, "causationId" text,
        "operationId" text, "traceId" text, "occurredAt" timestamptz
    )
    where e.created_at >= p_from and e.created_at < p_to
        and (
            x."eventId", x."eventType", x."eventSchemaVersion", x."aggregateId", x."aggregateRevision", x."tenantKind", x."tenantId",
            x."workspaceId", x."projectId", x."actorPrincipalId", x."correlationId", x."causationId", x."operationId", x."traceId",
            x."occurredAt"
        ) is distinct from (
            e.event_id, e.event_type, e.event_schema_version, e.aggregate_id, e.aggregate_revision, e.tenant_kind, e.tenant_id,
            e.workspace_id, e.project_id, e.actor_principal_id, e.correlation_id, e.causation_id, e.operation_id, e.trace_id,
            e.occurred_at
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
