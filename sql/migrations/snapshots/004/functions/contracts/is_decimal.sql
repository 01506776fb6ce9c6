-- Whether a text is a canonical decimal of a precision and scale (x-decimal): no exponent, no leading or trailing zero, no sign
-- unless it may be signed, and never -0.
-- Callers: contracts.leaf_violations.
create or replace function contracts.is_decimal(p_text text, p_form jsonb) returns boolean
language sql
immutable
strict
parallel safe
as $$
    select p_text <> '-0' and p_text ~ format(
        '^%s(0|[1-9][0-9]{0,%s})([.][0-9]{0,%s}[1-9])?$',
        case when (p_form -> 'signed')::boolean then '-?' end,
        (p_form -> 'precision')::int - (p_form -> 'scale')::int - 1,
        (p_form -> 'scale')::int - 1
    )
$$;
comment on function contracts.is_decimal(text, jsonb) is 'Internal: Whether a text is a canonical decimal of a precision and scale.';
