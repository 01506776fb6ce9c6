-- The JSON Pointer of the first place that breaks a rule, in a document that is known to break it. Goes down one child a level,
-- so that time is levels times size and memory is bounded; an only child needs no look. p_marker stands where escape_fault put it.
-- Its callers name no place in large documents.
-- Callers: contracts.escape_fault, contracts.read_json.
create or replace function contracts.locate(p_document json, p_rule text, p_marker text) returns text
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_value json := p_document;
    v_path text := '';
    v_name text;
    v_child json;
    v_faulty boolean := true; -- the fault is in the value, and not in the name that led to it
begin
    loop
        v_name := null;
        if json_typeof(v_value) = 'object' then
            if p_rule = 'no_duplicate_key' then
                select k.name into v_name
                from json_object_keys(v_value) as k(name)
                group by k.name
                having count(*) > 1
                order by k.name collate "C"
                limit 1;
                exit when v_name is not null;
            end if;
            select e.key, e.value into v_name, v_child
            from (
                select c.*, count(*) over () as children
                from json_each(v_value) with ordinality as c(key, value, place)
            ) as e
            where (e.children = 1 and v_faulty) or contracts.breaks_rule(e.key, e.value, p_rule, p_marker)
            order by e.place
            limit 1;
            v_faulty := not contracts.breaks_rule(coalesce(v_name, ''), 'null', p_rule, p_marker);
        elsif json_typeof(v_value) = 'array' then
            select (a.place - 1)::text, a.value into v_name, v_child
            from (
                select c.*, count(*) over () as children
                from json_array_elements(v_value) with ordinality as c(value, place)
            ) as a
            where (a.children = 1 and v_faulty) or contracts.breaks_rule('', a.value, p_rule, p_marker)
            order by a.place
            limit 1;
            v_faulty := true;
        end if;
        exit when v_name is null;
        v_path := v_path || '/' || contracts.pointer_token(coalesce(replace(v_name, p_marker, '?'), v_name));
        v_value := v_child;
    end loop;
    return v_path || coalesce('/' || contracts.pointer_token(coalesce(replace(v_name, p_marker, '?'), v_name)), '');
end
$$;
comment on function contracts.locate(json, text, text) is 'Internal: The JSON Pointer of the first place that breaks a rule.';
