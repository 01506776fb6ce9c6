-- Whether a JSON value is a string of at most p_length characters that matches a pattern.
-- Callers: contracts.is_name, contracts.is_uuid, outbox.read_outcomes.
create or replace function contracts.is_text_like(p_value jsonb, p_pattern text, p_length int) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select coalesce(
        jsonb_typeof(p_value) = 'string' and length(p_value #>> '{}') <= p_length and (p_value #>> '{}') ~ p_pattern,
        false
    )
$$;
comment on function contracts.is_text_like(jsonb, text, integer) is 'Internal: Whether a JSON value is a string of at most p_length characters that matches a pattern.';
