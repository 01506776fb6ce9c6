-- A small operations projection: the newest revision of each aggregate, the timeline, and the gaps that deliveries met.
create schema if not exists operations_demo;

comment on schema operations_demo is 'A demonstration projection of the operations domain. Written only by its projector.';

create table if not exists operations_demo.aggregates (
    projection_name    text        not null,
    projection_version text        not null,
    aggregate_id       text        not null,
    revision           bigint      not null,
    event_id           uuid,
    changed_at         timestamptz not null default clock_timestamp(),
    primary key (projection_name, projection_version, aggregate_id),
    constraint revision_is_not_negative check (revision >= 0)
);

comment on table operations_demo.aggregates is 'The revision each aggregate of a projection is at; 0 = known, nothing applied yet.';

create table if not exists operations_demo.timeline (
    projection_name    text        not null,
    projection_version text        not null,
    event_id           uuid        not null,
    event_type         text        not null,
    aggregate_id       text        not null,
    aggregate_revision bigint      not null,
    correlation_id     text        not null,
    occurred_at        timestamptz not null,
    applied_at         timestamptz not null default clock_timestamp(),
    constraint applied_once primary key (projection_name, projection_version, event_id)
);

comment on table operations_demo.timeline is 'One row for each event that a projection has applied.';

create table if not exists operations_demo.gaps (
    projection_name    text        not null,
    projection_version text        not null,
    event_id           uuid        not null,
    aggregate_id       text        not null,
    revision_held      bigint      not null,
    revision_offered   bigint      not null,
    seen_at            timestamptz not null default clock_timestamp(),
    closed_at          timestamptz,
    primary key (projection_name, projection_version, event_id)
);

comment on table operations_demo.gaps is 'Deliveries that came before an earlier revision of their aggregate; closed once applied.';

grant usage on schema operations_demo to outbox_consumer;
grant select, insert, update on all tables in schema operations_demo to outbox_consumer;
