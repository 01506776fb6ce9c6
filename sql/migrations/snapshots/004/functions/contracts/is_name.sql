-- Whether a JSON value is a destination or consumer name.
-- Callers: outbox.read_outcomes.
create or replace function contracts.is_name(p_value jsonb) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select contracts.is_text_like(p_value, '^[a-z][a-z0-9_]*$', 128)
$$;
comment on function contracts.is_name(jsonb) is 'Internal: Whether a JSON value is a destination or consumer name.';
