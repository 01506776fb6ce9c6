-- Whether a JSON value is a number without a fraction between two bounds.
-- Callers: outbox.change_settings, outbox.read_outcomes.
create or replace function contracts.is_integer_between(p_value jsonb, p_low numeric, p_high numeric) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select coalesce(
        case
            when jsonb_typeof(p_value) = 'number'
                then p_value::numeric between p_low and p_high and p_value::numeric = trunc(p_value::numeric)
        end,
        false
    )
$$;
comment on function contracts.is_integer_between(jsonb, numeric, numeric) is 'Internal: Whether a JSON value is a number without a fraction between two bounds.';
