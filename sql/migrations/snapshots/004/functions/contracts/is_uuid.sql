-- Whether a JSON value is a UUID in lower case.
-- Callers: outbox.read_outcomes.
create or replace function contracts.is_uuid(p_value jsonb) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select contracts.is_text_like(p_value, '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$', 36)
$$;
comment on function contracts.is_uuid(jsonb) is 'Internal: Whether a JSON value is a UUID in lower case.';
