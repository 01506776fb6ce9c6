-- What keeps a value that contracts.read_json has read from having an exact canonical form: too many levels, or a number that a
-- double changes. The first in canonical order, with its path; rule is null when there is none. It says what contracts.jcs_node
-- raises with p_exact. Without p_locate no place is looked for, and too many levels count before a number.
-- Callers: contracts.validate.
create or replace function contracts.form_fault(p_value jsonb, p_levels int, p_locate boolean, out path text, out rule text)
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_value jsonb := p_value;
    v_levels int := p_levels;
    v_name text;
begin
    path := case when not p_locate then '' end;
    if contracts.is_deeper(p_value, p_levels) then
        rule := 'nesting_within_limit';
    elsif contracts.has_inexact_number(p_value) then
        rule := 'number_is_exact';
    end if;
    if rule is null or not p_locate then
        return;
    end if;
    path := '';
    loop
        if jsonb_typeof(v_value) = 'number' then
            rule := 'number_is_exact';
            return;
        end if;
        if v_levels < 1 then
            rule := 'nesting_within_limit';
            return;
        end if;
        v_levels := v_levels - 1;
        if jsonb_typeof(v_value) = 'object' then
            select e.key, e.value into v_name, v_value
            from jsonb_each(v_value) as e
            where contracts.is_deeper(e.value, v_levels) or contracts.has_inexact_number(e.value)
            order by contracts.utf16_key(e.key) collate "C"
            limit 1;
        else
            select (e.place - 1)::text, e.value into v_name, v_value
            from jsonb_array_elements(v_value) with ordinality as e(value, place)
            where contracts.is_deeper(e.value, v_levels) or contracts.has_inexact_number(e.value)
            order by e.place
            limit 1;
        end if;
        path := path || '/' || contracts.pointer_token(v_name);
    end loop;
end
$$;
comment on function contracts.form_fault(jsonb, integer, boolean) is 'Internal: What keeps a value from having an exact canonical form, with its path.';
