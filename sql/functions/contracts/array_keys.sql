-- The key tuple of each item of an array, in a form whose order under collation "C" is that of UTF-16 code units; items whose key
-- members are not all texts are left out.
-- Callers: contracts.array_violations.
create or replace function contracts.array_keys(p_array jsonb, p_members jsonb) returns table (place bigint, key text[])
language sql
immutable
strict
parallel safe
as $$
    select e.place, array_agg(contracts.utf16_key(e.value ->> m.member) order by m.place)
    from jsonb_array_elements(p_array) with ordinality as e(value, place)
    cross join lateral jsonb_array_elements_text(p_members) with ordinality as m(member, place)
    where jsonb_typeof(e.value) = 'object'
    group by e.place
    having bool_and(coalesce(jsonb_typeof(e.value -> m.member) = 'string', false))
$$;
comment on function contracts.array_keys(jsonb, jsonb) is 'Internal: The key tuple of each item of an array.';
