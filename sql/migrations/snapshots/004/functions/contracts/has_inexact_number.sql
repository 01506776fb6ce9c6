-- Whether a jsonb value holds a number, at any depth, that an IEEE 754 double changes.
-- Callers: contracts.form_fault.
create or replace function contracts.has_inexact_number(p_value jsonb) returns boolean
language sql
immutable
strict
parallel safe
as $$
    select exists (
        select
        from jsonb_path_query(p_value, 'strict $.** ? (@.type() == "number")') as n(number)
        where case
            when scale(n.number::numeric) = 0 and abs(n.number::numeric) <= 9007199254740991 then false
            else contracts.jcs_number_token(n.number::text, true) is null
        end
    )
$$;
comment on function contracts.has_inexact_number(jsonb) is 'Internal: Whether a jsonb value holds a number that an IEEE 754 double changes.';
