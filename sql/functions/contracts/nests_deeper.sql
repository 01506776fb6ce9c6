-- Whether a JSON text has more than so many levels of objects and arrays. Each round takes the innermost brackets away, without
-- recursion.
-- Callers: contracts.read_json.
create or replace function contracts.nests_deeper(p_raw text, p_levels int) returns boolean
language plpgsql
immutable
strict
parallel safe
as $$
declare
    v_brackets text := translate(regexp_replace(regexp_replace(p_raw, E'"(?:[^"\\\\]|\\\\.)*"', '', 'g'), '[^][{}]', '', 'g'), '{}', '[]');
begin
    for v_level in 1..p_levels loop
        v_brackets := replace(v_brackets, '[]', '');
        exit when v_brackets = '';
    end loop;
    return v_brackets <> '';
end
$$;
comment on function contracts.nests_deeper(text, integer) is 'Internal: Whether a JSON text has more than so many levels of objects and arrays.';
