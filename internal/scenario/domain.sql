-- The domain beside the outbox: one row for each run, changed in the transaction that appends its events.
create schema if not exists domain_demo;

comment on schema domain_demo is 'A demonstration domain. Its producer changes it in the transactions that append events.';

create table if not exists domain_demo.runs (
    run_id                 text        not null primary key,
    billing_reservation_id text        not null,
    state                  text        not null,
    changes                int         not null default 1,
    changed_at             timestamptz not null default clock_timestamp()
);

comment on table domain_demo.runs is 'The current state of each run and how many transactions brought it there.';

grant usage on schema domain_demo to outbox_producer;
grant select, insert, update on table domain_demo.runs to outbox_producer;
