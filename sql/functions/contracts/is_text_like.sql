-- Whether a JSON value is a string of at most p_length characters that matches a pattern. Called by the functions that judge members.
create or replace function contracts.is_text_like(p_value jsonb, p_pattern text, p_length int) returns boolean
language sql
immutable
parallel safe
as $$
    select coalesce(
        jsonb_typeof(p_value) = 'string' and length(p_value #>> '{}') <= p_length and (p_value #>> '{}') ~ p_pattern,
        false
    )
$$;
comment on function contracts.is_text_like(jsonb, text, integer) is 'Internal: Whether a JSON value is a string of at most p_length characters that matches a pattern.';
