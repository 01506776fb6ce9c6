-- Whether a JSON value is a string of 1 to 256 characters without control characters (C0, DEL, C1).
-- Callers: outbox.read_outcomes.
create or replace function contracts.is_identifier(p_value jsonb) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select coalesce(
        jsonb_typeof(p_value) = 'string'
        and length(p_value #>> '{}') between 1 and 256
        and (p_value #>> '{}') !~ ('[' || chr(1) || '-' || chr(31) || chr(127) || '-' || chr(159) || ']'),
        false
    )
$$;
comment on function contracts.is_identifier(jsonb) is 'Internal: Whether a JSON value is a string of 1 to 256 characters without control characters (C0, DEL, C1).';
