-- A time in the form that EventEnvelope@1 wants: UTC, microseconds, upper case.
-- Callers: every role, inbox.record_receipt.
create or replace function outbox.rfc3339(p_time timestamptz) returns text
language sql
immutable
strict
parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select case
        when p_time >= '0001-01-01T00:00:00Z' and p_time < '10000-01-01T00:00:00Z'
            then to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    end
$$;
comment on function outbox.rfc3339(timestamptz) is 'A time as occurredAt wants it: YYYY-MM-DDThh:mm:ss.ffffffZ in UTC. Null outside of the years 1 to 9999.';
