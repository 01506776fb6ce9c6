-- Events with published_at, without the envelope. Readers: outbox_reader, outbox_payload_reader.
create or replace view outbox.event_overview as
select
    e.event_id, e.event_type, e.event_schema_version, e.delivery_set_version, e.delivery_set_definition_schema_version,
    e.delivery_set_definition_digest_algorithm_version, e.delivery_set_definition_digest, e.aggregate_id, e.aggregate_revision,
    e.tenant_kind, e.tenant_id, e.workspace_id, e.project_id, e.actor_principal_id, e.correlation_id, e.causation_id, e.operation_id,
    e.trace_id, e.event_envelope_digest_algorithm_version, e.event_envelope_sha256, e.occurred_at, e.created_at, p.published_at
from outbox.events as e
left join outbox.event_publications as p on p.event_id = e.event_id;
comment on view outbox.event_overview is 'Events without their envelope; published_at is null until every mandatory delivery is acknowledged.';
