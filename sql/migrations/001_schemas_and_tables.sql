-- Schemas, types, tables and indexes. Locks: none that anybody waits for, all objects are new. Duration: under a second.
set local lock_timeout = '5s';
set local search_path = pg_catalog, pg_temp; -- no operator of another schema gets into a CHECK

do $check$
begin
    if pg_catalog.current_setting('server_version_num')::int < 150000 then
        raise exception using
            errcode = '0A000',
            message = 'PostgreSQL 15 or newer is required',
            detail = 'server_version ' || pg_catalog.current_setting('server_version');
    end if;
    if pg_catalog.current_setting('server_encoding') <> 'UTF8' then
        raise exception using
            errcode = '0A000',
            message = 'the database encoding must be UTF8: digests cover UTF-8 bytes',
            detail = 'server_encoding ' || pg_catalog.current_setting('server_encoding'),
            hint = 'Create the database with: create database NAME encoding ''UTF8'' template template0';
    end if;
    if exists (
        select
        from pg_catalog.unnest(array[
            'outbox_owner', 'outbox_producer', 'outbox_dispatcher', 'outbox_consumer',
            'outbox_governor', 'outbox_operator', 'outbox_reader', 'outbox_payload_reader'
        ]) as r(name)
        where pg_catalog.to_regrole(r.name) is null
    ) then
        raise exception using
            errcode = '42704',
            message = 'the roles of the outbox are missing',
            hint = 'Run sql/roles.sql, or: outbox migrate --roles';
    end if;
    if not pg_catalog.pg_has_role(current_user, 'outbox_owner', 'member') then
        raise exception using
            errcode = '42501',
            message = pg_catalog.format('role %I is not a member of outbox_owner', current_user),
            hint = 'Run sql/roles.sql, or: outbox migrate --roles';
    end if;
end
$check$;

create schema contracts authorization outbox_owner;
create schema outbox authorization outbox_owner;
create schema inbox authorization outbox_owner;

set local role outbox_owner;

comment on schema contracts is 'Canonical JSON, digests, and the closed registries that wire objects are checked against.';
comment on schema outbox is 'Producer side: events, their frozen deliveries, attempts, acknowledgements, publication.';
comment on schema inbox is 'Consumer side: the receipts a consumer gave.';

-- contracts --------------------------------------------------------------------------------------------------------

create table contracts.schemas (
    schema text not null,
    document jsonb not null,
    resolved jsonb not null,
    quick_check jsonpath,
    digest_rule jsonb generated always as (document -> 'x-digest') stored,
    constraint schemas_pkey primary key (schema),
    constraint schema_is_named check (schema ~ '^[A-Z][A-Za-z0-9]{0,127}@[1-9][0-9]{0,3}$'),
    constraint schema_is_resolved check (
        resolved ?| '{properties,oneOf}' and not jsonb_path_exists(resolved, 'lax $.**."$ref"')
    ),
    constraint schema_document_names_itself check (coalesce(document ->> '$id' = 'urn:oceanway:contracts:' || schema, false))
);
-- Read with every appended envelope and every receipt: compressed, it would be unpacked each time.
alter table contracts.schemas alter column quick_check set storage external;
comment on table contracts.schemas is 'Closed registry of the wire objects'' schemas: JSON Schema 2020-12 and the vocabulary of docs/contracts.md. A schema never changes; another content is another version. Written by migrations that outbox contracts compile or the generator wrote.';
comment on column contracts.schemas.schema is 'Name and version, for example EventEnvelope@1.';
comment on column contracts.schemas.document is 'The schema file of contracts/schemas.';
comment on column contracts.schemas.digest_rule is 'x-digest of the document: algorithm version, excluded members, and the member that holds the digest. Null: no digest of its own.';
comment on column contracts.schemas.resolved is 'The document with every reference replaced by what it names, which is what the database judges by. A later release may write it again.';
comment on column contracts.schemas.quick_check is 'Compiled from the document: true only for a value that the document accepts. Anything else says nothing and is judged by the document. A later release may write it again.';

create table contracts.namespaces (
    namespace text not null,
    namespace_id uuid not null,
    candidate_schema text not null,
    description text not null,
    constraint namespaces_pkey primary key (namespace),
    constraint namespace_id_is_unique unique (namespace_id),
    constraint namespace_is_ascii check (namespace ~ '^[a-z][a-z0-9_]{0,63}$'),
    constraint candidate_schema_is_registered foreign key (candidate_schema) references contracts.schemas (schema)
);
comment on table contracts.namespaces is 'Closed registry of the namespaces that identifiers and idempotency keys are derived in, each with the schema of its candidates. Written by generated migrations only.';
comment on column contracts.namespaces.namespace_id is 'Hashed before the canonical candidate, so that equal candidates of two namespaces have different identifiers.';

create table contracts.event_types (
    event_type text not null,
    event_schema_version text not null,
    producer text not null,
    payload_schema text,
    constraint event_types_pkey primary key (event_type, event_schema_version),
    constraint event_type_is_ascii check (event_type ~ '^[a-z0-9]+([._-][a-z0-9]+)*@[0-9]+([.][0-9]+)*$'),
    constraint payload_schema_is_registered foreign key (payload_schema) references contracts.schemas (schema)
);
comment on table contracts.event_types is 'Closed registry of the event type and schema version pairs this release supports; exact literals, changed by release migrations only.';
comment on column contracts.event_types.payload_schema is 'Schema that the payload must satisfy to be appended. Null: any object.';

create type contracts.violation as (path text, rule text, detail text);
comment on type contracts.violation is 'One broken rule of a document: JSON Pointer, rule name, sentence.';

create type contracts.located as (path text, value jsonb);
comment on type contracts.located is 'A value of a document and its JSON Pointer.';

create type contracts.canonical_envelope as (
    event_id uuid,
    event_type text,
    event_schema_version text,
    aggregate_id text,
    aggregate_revision bigint,
    tenant_kind text,
    tenant_id text,
    workspace_id text,
    project_id text,
    actor_principal_id text,
    correlation_id text,
    causation_id text,
    operation_id text,
    trace_id text,
    occurred_at timestamptz,
    event_envelope text,
    event_envelope_sha256 bytea
);
comment on type contracts.canonical_envelope is 'An EventEnvelope@1 that passed the envelope profile: its members, canonical text and digest.';

-- outbox: registries ---------------------------------------------------------------------------------------------------

create table outbox.destinations (
    destination text not null,
    consumer_name text not null,
    ack_kind text not null,
    receipt_type text not null,
    receipt_schema_version text not null,
    projection_required boolean not null,
    receipt_schema text not null generated always as (receipt_type || '@' || receipt_schema_version) stored,
    constraint destinations_pkey primary key (destination),
    constraint destinations_consumer_key unique (destination, consumer_name), -- for the foreign key of delivery_set_members
    constraint ack_kind_is_unique unique (ack_kind),
    constraint receipt_schema_is_registered foreign key (receipt_schema) references contracts.schemas (schema),
    constraint destination_is_ascii check (destination ~ '^[a-z][a-z0-9_]{0,127}$' and consumer_name ~ '^[a-z][a-z0-9_]{0,127}$')
);
comment on table outbox.destinations is 'Closed registry of destinations: the one consumer of each, and the receipt it answers with. Changed by release migrations only.';
comment on column outbox.destinations.ack_kind is 'appliedReceipt.kind of ActiveConsumerAck@1.';
comment on column outbox.destinations.receipt_schema is 'The receipt''s schema in contracts.schemas.';
comment on column outbox.destinations.projection_required is 'Whether a member of this destination must freeze a projection target.';

create table outbox.error_codes (
    error_code text not null,
    description text not null,
    constraint error_codes_pkey primary key (error_code),
    constraint error_code_is_ascii check (error_code ~ '^[a-z][a-z0-9_]{0,63}$')
);
comment on table outbox.error_codes is 'Closed registry of normalized error codes: they are metric labels, so their number is bounded. Another code is stored as unregistered_error_code.';

create table outbox.settings (
    singleton boolean not null default true,
    max_envelope_bytes int not null default 1048576,
    max_nesting int not null default 64,
    max_append_events int not null default 1000,
    max_settle_outcomes int not null default 1000,
    max_attempts int,
    constraint settings_pkey primary key (singleton),
    constraint settings_is_one_row check (singleton),
    constraint max_envelope_bytes_is_sane check (max_envelope_bytes between 1024 and 1048576),
    constraint max_nesting_is_sane check (max_nesting between 2 and 64),
    constraint max_append_events_is_sane check (max_append_events between 1 and 10000),
    constraint max_settle_outcomes_is_sane check (max_settle_outcomes between 1 and 10000),
    constraint max_attempts_is_sane check (max_attempts >= 1)
);
comment on table outbox.settings is 'Limits of this database, one row, changed by outbox.change_settings only.';
comment on column outbox.settings.max_envelope_bytes is 'Bytes of a canonical envelope, at most the 1 MiB of EventEnvelope@1; the text as sent may have four times as many.';
comment on column outbox.settings.max_nesting is 'Levels of objects and arrays, the envelope itself included, at most the 64 of EventEnvelope@1.';
comment on column outbox.settings.max_attempts is 'Exhaustion policy: failed attempts after which a retryable outcome quarantines. Null (the default): never.';

create table outbox.operator_actions (
    action_id bigint generated always as identity,
    action text not null,
    destination text,
    delivery_set_version text,
    detail text,
    reason text,
    acted_at timestamptz not null,
    acted_by name not null,
    constraint operator_actions_pkey primary key (action_id),
    constraint action_is_known check (action in ('register', 'activate', 'pause', 'resume', 'change_settings', 'advance_lease_tokens')),
    constraint pause_names_destination check (action not in ('pause', 'resume') or (destination is not null and reason is not null)),
    constraint action_destination_is_registered foreign key (destination) references outbox.destinations (destination)
);
create index operator_actions_pauses on outbox.operator_actions (destination, action_id desc) where action in ('pause', 'resume');
comment on table outbox.operator_actions is 'Append-only audit of what people changed: who, when, why. The newest pause or resume of a destination is its state.';

-- outbox: delivery sets -----------------------------------------------------------------------------------------------

create table outbox.delivery_set_versions (
    delivery_set_version text not null,
    delivery_set_definition_schema_version text not null,
    delivery_set_definition_digest_algorithm_version text not null,
    delivery_set_definition_digest bytea not null,
    definition text not null,
    source_release text not null,
    registered_at timestamptz not null,
    registered_by name not null,
    constraint delivery_set_versions_pkey primary key (delivery_set_version),
    constraint definition_schema_is_known check (delivery_set_definition_schema_version = '1'),
    constraint digest_algorithm_is_known check (delivery_set_definition_digest_algorithm_version = 'jcs-sha256-v1'),
    constraint definition_digest_is_sha256 check (octet_length(delivery_set_definition_digest) = 32)
);
comment on table outbox.delivery_set_versions is 'Registered DeliverySetDefinition@1 objects: immutable, content-addressed by the full quadruple.';
comment on column outbox.delivery_set_versions.definition is 'Canonical text of the whole definition, its digest included.';
comment on column outbox.delivery_set_versions.delivery_set_definition_digest is 'sha256 of the canonical definition without deliverySetDefinitionDigest.';

create table outbox.delivery_set_applicable_events (
    delivery_set_version text not null,
    event_type text not null,
    event_schema_version text not null,
    constraint delivery_set_applicable_events_pkey primary key (delivery_set_version, event_type, event_schema_version),
    constraint applicable_event_has_definition foreign key (delivery_set_version)
        references outbox.delivery_set_versions (delivery_set_version),
    constraint event_type_is_registered foreign key (event_type, event_schema_version)
        references contracts.event_types (event_type, event_schema_version)
);
comment on table outbox.delivery_set_applicable_events is 'The exact event type and schema version pairs a definition applies to.';

create table outbox.delivery_set_members (
    delivery_set_version text not null,
    event_type text not null,
    event_schema_version text not null,
    destination text not null,
    consumer_name text not null,
    mandatory boolean not null,
    expected_receipt_type text not null,
    expected_receipt_schema_version text not null,
    projection_target_state text not null,
    projection_name text,
    projection_version text,
    constraint destination_is_bound_once primary key (delivery_set_version, event_type, event_schema_version, destination),
    constraint member_event_is_applicable foreign key (delivery_set_version, event_type, event_schema_version)
        references outbox.delivery_set_applicable_events (delivery_set_version, event_type, event_schema_version),
    constraint member_destination_is_registered foreign key (destination, consumer_name)
        references outbox.destinations (destination, consumer_name),
    constraint projection_target_state_is_known check (projection_target_state in ('not_applicable', 'required')),
    constraint required_projection_is_named check (
        (projection_target_state = 'required') = (projection_name is not null)
        and (projection_name is null) = (projection_version is null)
    )
);
comment on table outbox.delivery_set_members is 'Members of a definition: which consumer of which destination an event must reach, and the receipt and projection target that count.';
comment on column outbox.delivery_set_members.mandatory is 'Mandatory members become delivery rows; an event is published when all of them are acknowledged. Others create no row.';

create table outbox.delivery_set_activations (
    activation_id bigint generated always as identity,
    delivery_set_version text not null,
    activated_at timestamptz not null,
    activated_by name not null,
    reason text not null,
    constraint delivery_set_activations_pkey primary key (activation_id),
    constraint activation_has_definition foreign key (delivery_set_version)
        references outbox.delivery_set_versions (delivery_set_version)
);
comment on table outbox.delivery_set_activations is 'Append-only history of activations; re-activating an older version is a new row.';
comment on column outbox.delivery_set_activations.reason is 'What the activation was: first activation, or cutover or re-activation from which version.';

create table outbox.active_delivery_set (
    singleton boolean not null default true,
    delivery_set_version text not null,
    activation_id bigint not null,
    constraint active_delivery_set_pkey primary key (singleton),
    constraint one_delivery_set_is_active check (singleton),
    constraint active_set_is_registered foreign key (delivery_set_version)
        references outbox.delivery_set_versions (delivery_set_version),
    constraint active_set_was_activated foreign key (activation_id) references outbox.delivery_set_activations (activation_id)
);
comment on table outbox.active_delivery_set is 'The active pointer: one row, moved only by outbox.activate_delivery_set under the cutover lock. No row: nothing was activated yet.';

-- outbox: events and deliveries ---------------------------------------------------------------------------------------

create table outbox.events (
    event_id uuid not null,
    event_type text not null,
    event_schema_version text not null,
    delivery_set_version text not null,
    delivery_set_definition_schema_version text not null,
    delivery_set_definition_digest_algorithm_version text not null,
    delivery_set_definition_digest bytea not null,
    aggregate_id text not null,
    aggregate_revision bigint not null,
    tenant_kind text not null,
    tenant_id text not null,
    workspace_id text not null,
    project_id text,
    actor_principal_id text,
    correlation_id text not null,
    causation_id text,
    operation_id text not null,
    trace_id text,
    event_envelope text not null,
    event_envelope_digest_algorithm_version text not null,
    event_envelope_sha256 bytea not null,
    occurred_at timestamptz not null,
    created_at timestamptz not null,
    constraint events_pkey primary key (event_id),
    constraint aggregate_revision_is_unique unique (event_type, aggregate_id, aggregate_revision),
    constraint envelope_digest_matches check (event_envelope_sha256 = sha256(convert_to(event_envelope, 'UTF8'))),
    constraint envelope_digest_algorithm_is_known check (event_envelope_digest_algorithm_version = 'jcs-sha256-v1'),
    constraint aggregate_revision_is_positive check (aggregate_revision between 1 and 9007199254740991),
    constraint event_times_are_finite check (isfinite(occurred_at) and isfinite(created_at)),
    constraint tenant_kind_is_known check (tenant_kind in ('organization', 'personal_space'))
);
create index events_created_at on outbox.events using brin (created_at) with (pages_per_range = 32);
comment on table outbox.events is 'Appended events, insert-only. Each froze the quadruple of the delivery set that was active when it was appended.';
comment on column outbox.events.event_envelope is 'The canonical EventEnvelope@1 text (RFC 8785): the bytes that were digested and that are sent.';
comment on column outbox.events.event_envelope_sha256 is 'sha256 of the UTF-8 bytes of event_envelope.';
comment on column outbox.events.created_at is 'Database clock at append, strictly rising within a transaction.';

create table outbox.event_publications (
    event_id uuid not null,
    published_at timestamptz not null,
    constraint published_once primary key (event_id),
    constraint publication_time_is_finite check (isfinite(published_at)),
    constraint publication_has_event foreign key (event_id) references outbox.events (event_id)
);
comment on table outbox.event_publications is 'published_at of an event: no row means not yet. Inserted once, when the last mandatory delivery is acknowledged; never changed.';

create sequence outbox.lease_tokens as bigint cache 1;
comment on sequence outbox.lease_tokens is 'Fencing tokens: each claim of a delivery gets a higher one. After restoring a backup see outbox.advance_lease_tokens.';

create table outbox.deliveries (
    event_id uuid not null,
    destination text not null,
    generation int not null default 1,
    consumer_name text not null,
    delivery_set_version text not null,
    expected_receipt_type text not null,
    expected_receipt_schema_version text not null,
    required_projection_name text,
    required_projection_version text,
    mandatory boolean not null default true,
    status text not null default 'pending',
    available_at timestamptz not null,
    created_at timestamptz not null,
    lease_owner text,
    lease_token bigint,
    lease_expires_at timestamptz,
    current_attempt_id uuid,
    attempt_count int not null default 0,
    last_attempt_at timestamptz,
    delivered_at timestamptz,
    last_error_code text,
    last_error_ref text,
    ack_consumer_name text,
    ack_receipt_type text,
    ack_receipt_ref text,
    ack_receipt_schema_version text,
    ack_receipt_digest_algorithm_version text,
    ack_receipt_digest bytea,
    ack_event_envelope_digest_algorithm_version text,
    ack_event_envelope_sha256 bytea,
    constraint deliveries_pkey primary key (event_id, destination),
    constraint delivery_has_event foreign key (event_id) references outbox.events (event_id),
    constraint generation_is_first check (generation = 1),
    constraint delivery_is_mandatory check (mandatory),
    constraint delivery_times_are_finite check (
        isfinite(available_at) and isfinite(created_at) and isfinite(lease_expires_at) and isfinite(last_attempt_at) and isfinite(delivered_at)
    ),
    constraint attempt_count_is_positive check (attempt_count >= 0),
    constraint status_is_known check (status in ('pending', 'leased', 'acknowledged', 'quarantined')),
    constraint pending_holds_nothing check (
        status <> 'pending' or num_nonnulls(lease_owner, lease_token, lease_expires_at, current_attempt_id) = 0
    ),
    constraint leased_has_attempt check (
        status <> 'leased' or (
            num_nulls(lease_token, current_attempt_id) = 0
            and (lease_owner is null) = (lease_expires_at is null)
        )
    ),
    constraint terminal_holds_no_lease check (
        status not in ('acknowledged', 'quarantined') or (
            num_nonnulls(lease_owner, lease_token, lease_expires_at) = 0
            and current_attempt_id is not null
        )
    ),
    constraint attempted_has_attempt_time check ((attempt_count > 0) = (last_attempt_at is not null)),
    constraint acknowledged_has_ack check (
        case
            when status = 'acknowledged' then num_nulls(
                delivered_at, ack_consumer_name, ack_receipt_type, ack_receipt_ref, ack_receipt_schema_version,
                ack_receipt_digest_algorithm_version, ack_receipt_digest,
                ack_event_envelope_digest_algorithm_version, ack_event_envelope_sha256
            ) = 0
            else num_nonnulls(
                delivered_at, ack_consumer_name, ack_receipt_type, ack_receipt_ref, ack_receipt_schema_version,
                ack_receipt_digest_algorithm_version, ack_receipt_digest,
                ack_event_envelope_digest_algorithm_version, ack_event_envelope_sha256
            ) = 0
        end
    ),
    constraint ack_matches_frozen_member check (
        ack_consumer_name = consumer_name
        and ack_receipt_type = expected_receipt_type
        and ack_receipt_schema_version = expected_receipt_schema_version
        and ack_receipt_digest_algorithm_version = 'jcs-sha256-v1'
        and octet_length(ack_receipt_digest) = 32
    ),
    constraint quarantined_has_error check (status <> 'quarantined' or last_error_code is not null)
);
create index deliveries_claimable on outbox.deliveries (destination, available_at, created_at, event_id)
where status = 'pending' or (status = 'leased' and lease_expires_at is null);
create index deliveries_leased on outbox.deliveries (lease_expires_at) where status = 'leased';
create index deliveries_quarantined on outbox.deliveries (destination, event_id) where status = 'quarantined';
comment on table outbox.deliveries is 'One row per event and mandatory destination, created with the event. The frozen columns never change; the coordination columns move along pending, leased, acknowledged or quarantined.';
comment on column outbox.deliveries.generation is 'Always 1 here; a controlled redelivery will have its own table with higher generations.';
comment on column outbox.deliveries.available_at is 'Not claimed before this time (database clock).';
comment on column outbox.deliveries.lease_expires_at is 'Null while leased: the lease was recovered and the delivery may be claimed again.';
comment on column outbox.deliveries.lease_token is 'Fencing token of the current attempt.';
comment on column outbox.deliveries.last_error_ref is 'Short opaque reference to what the consumer logged; never a payload.';

create table outbox.delivery_attempt_starts (
    attempt_id uuid not null,
    event_id uuid not null,
    destination text not null,
    generation int not null default 1,
    lease_token bigint not null,
    worker text not null,
    started_at timestamptz not null,
    constraint delivery_attempt_starts_pkey primary key (attempt_id),
    constraint attempt_has_delivery foreign key (event_id, destination) references outbox.deliveries (event_id, destination),
    constraint attempt_start_time_is_finite check (isfinite(started_at)),
    constraint attempt_generation_is_first check (generation = 1)
);
create index delivery_attempt_starts_of_delivery on outbox.delivery_attempt_starts (event_id, destination);
comment on table outbox.delivery_attempt_starts is 'Append-only: an attempt began and the consumer may have been called. Committed before any call.';

create table outbox.delivery_attempt_finishes (
    attempt_id uuid not null,
    finished_at timestamptz not null,
    outcome text not null,
    retry_disposition text not null,
    normalized_error_code text,
    sanitized_error_ref text,
    constraint attempt_finishes_once primary key (attempt_id),
    constraint finish_has_start foreign key (attempt_id) references outbox.delivery_attempt_starts (attempt_id),
    constraint outcome_has_disposition check (
        case outcome
            when 'acknowledged' then retry_disposition = 'none'
            when 'retryable' then retry_disposition in ('retry', 'quarantine')
            when 'non_retryable' then retry_disposition = 'quarantine'
            when 'lease_expired_unknown' then retry_disposition = 'reclaim'
            else false
        end
    ),
    constraint attempt_finish_time_is_finite check (isfinite(finished_at)),
    constraint failure_has_error_code check ((outcome = 'acknowledged') = (normalized_error_code is null)),
    constraint success_has_no_error_ref check (outcome <> 'acknowledged' or sanitized_error_ref is null)
);
comment on table outbox.delivery_attempt_finishes is 'Append-only: how an attempt ended. At most one per start.';

create table outbox.quarantine (
    event_id uuid not null,
    destination text not null,
    generation int not null default 1,
    reason text not null,
    event_envelope_digest_algorithm_version text not null,
    event_envelope_sha256 bytea not null,
    quarantined_at timestamptz not null,
    constraint quarantined_once primary key (event_id, destination, generation),
    constraint quarantine_generation_is_first check (generation = 1),
    constraint quarantine_has_delivery foreign key (event_id, destination) references outbox.deliveries (event_id, destination)
);
comment on table outbox.quarantine is 'Append-only: deliveries that ended in quarantine, and why. The event stays, unpublished and visible.';

create table outbox.quarantine_notes (
    note_id bigint generated always as identity,
    event_id uuid not null,
    destination text not null,
    generation int not null default 1,
    case_id text,
    note text,
    noted_at timestamptz not null,
    noted_by name not null,
    constraint quarantine_notes_pkey primary key (note_id),
    constraint note_has_quarantine foreign key (event_id, destination, generation)
        references outbox.quarantine (event_id, destination, generation),
    constraint note_says_something check (num_nonnulls(case_id, note) > 0)
);
create index quarantine_notes_of_delivery on outbox.quarantine_notes (event_id, destination, generation);
comment on table outbox.quarantine_notes is 'Append-only: that a quarantined delivery was seen, and its case. It changes nothing about the delivery.';

-- outbox: types of the functions -------------------------------------------------------------------------------------

create type outbox.appended_event as (
    item int,
    event_id uuid,
    event_envelope_sha256 bytea,
    delivery_set_version text,
    delivery_count int
);
comment on type outbox.appended_event is 'One appended event: its place in the call (from 0), digest, frozen delivery set and number of deliveries.';

create type outbox.claim_position as (available_at timestamptz, created_at timestamptz, event_id uuid);
comment on type outbox.claim_position is 'Where a dispatcher''s last claim ended: a hint that lets the next claim skip the dead front of the index.';

create type outbox.claimed_delivery as (
    event_id uuid,
    destination text,
    generation int,
    consumer_name text,
    attempt_id uuid,
    lease_token bigint,
    lease_expires_at timestamptz,
    attempt_count int,
    available_at timestamptz,
    created_at timestamptz,
    event_type text,
    event_schema_version text,
    aggregate_id text,
    occurred_at timestamptz,
    event_envelope text,
    event_envelope_digest_algorithm_version text,
    event_envelope_sha256 bytea,
    delivery_set_version text,
    delivery_set_definition_schema_version text,
    delivery_set_definition_digest_algorithm_version text,
    delivery_set_definition_digest bytea,
    expected_receipt_type text,
    expected_receipt_schema_version text,
    required_projection_name text,
    required_projection_version text
);
comment on type outbox.claimed_delivery is 'A leased delivery: its fence (attempt id and lease token), the envelope to send, and the frozen member it must satisfy. available_at is the time it was claimed for.';

create type outbox.settled_attempt as (
    item int,
    event_id uuid,
    destination text,
    attempt_id uuid,
    result text,
    detail text
);
comment on type outbox.settled_attempt is 'The answer to one item, in order, from 0: complete, not_complete, retry_scheduled, quarantined, renewed, already_settled, stale or invalid.';

create type outbox.outcome_item as (
    item int,
    event_id uuid,
    destination text,
    attempt_id uuid,
    lease_token bigint,
    outcome text,
    error_code text,
    error_ref text,
    delay interval,
    reason text,
    ack jsonb,
    receipt jsonb,
    astral boolean,
    disposition text,
    result text,
    detail text
);
comment on type outbox.outcome_item is 'Internal: one item of a settle or renew call on its way to its result.';

create type outbox.recovered_attempt as (
    event_id uuid,
    destination text,
    generation int,
    attempt_id uuid,
    lease_token bigint,
    lease_owner text,
    attempt_count int,
    lease_expired_at timestamptz
);
comment on type outbox.recovered_attempt is 'An attempt whose lease ran out and was closed as lease_expired_unknown.';

create type outbox.frozen_member as (
    event_id uuid,
    destination text,
    generation int,
    consumer_name text,
    event_type text,
    event_schema_version text,
    delivery_set_version text,
    delivery_set_definition_schema_version text,
    delivery_set_definition_digest_algorithm_version text,
    delivery_set_definition_digest bytea,
    mandatory boolean,
    expected_receipt_type text,
    expected_receipt_schema_version text,
    projection_target_state text,
    projection_name text,
    projection_version text
);
comment on type outbox.frozen_member is 'The definition quadruple and the member that one delivery froze.';

create type outbox.violation as (invariant text, relation text, event_id uuid, destination text, detail text);
comment on type outbox.violation is 'A broken invariant that outbox.verify found.';

-- inbox --------------------------------------------------------------------------------------------------------------

create table inbox.receipts (
    consumer_name text not null,
    event_id uuid not null,
    projection_name text,
    projection_version text,
    destination text not null,
    event_envelope_digest_algorithm_version text not null,
    event_envelope_sha256 bytea not null,
    receipt_type text not null,
    receipt_ref text not null,
    receipt_schema_version text not null,
    receipt_digest_algorithm_version text not null,
    receipt_digest bytea not null,
    receipt text not null,
    recorded_at timestamptz not null,
    constraint receipt_ref_is_unique primary key (receipt_ref),
    constraint receipt_is_unique_per_event unique nulls not distinct (consumer_name, event_id, projection_name, projection_version),
    constraint projection_is_named_whole check ((projection_name is null) = (projection_version is null)),
    constraint receipt_digest_algorithm_is_known check (receipt_digest_algorithm_version = 'jcs-sha256-v1'),
    constraint receipt_digest_is_sha256 check (octet_length(receipt_digest) = 32),
    constraint receipt_event_digest_algorithm_is_known check (event_envelope_digest_algorithm_version = 'jcs-sha256-v1'),
    constraint receipt_event_digest_is_sha256 check (octet_length(event_envelope_sha256) = 32)
);
comment on table inbox.receipts is 'Append-only: the first receipt a consumer gave for an event, for life. A redelivery is answered with it.';
comment on column inbox.receipts.receipt is 'Canonical text of the full receipt.';

create type inbox.recorded_receipt as (result text, receipt text);
comment on type inbox.recorded_receipt is 'inserted: apply the event now, in this transaction. identical: seen before; answer with this first receipt and apply nothing.';

create type inbox.read_result as (result text, receipt text);
comment on type inbox.read_result is 'found with the receipt, not_found, or conflicting.';

reset role;
