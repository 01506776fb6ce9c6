-- What an object node refuses: unknown, missing and wrong members, counts, unequal members, and what its conditions ask for. Only
-- unknown names need escaping in a path: those of a schema are plain words.
-- Callers: contracts.node_violations.
create or replace function contracts.object_violations(p_node jsonb, p_value jsonb, p_path text) returns setof contracts.violation
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_case jsonb;
begin
    if p_node -> 'additionalProperties' = 'false' then
        return query
        select p_path || '/' || contracts.pointer_token(k.name), 'member_is_known', contracts.rule_message('member_is_known')
        from jsonb_object_keys(p_value) as k(name)
        where not p_node -> 'properties' ? k.name;
    end if;
    return query
    select p_path || '/' || m.name, x.rule, contracts.rule_message(x.rule)
    from contracts.missing_members(p_node, p_value) as m
    cross join lateral (select case when m.of_quartet then 'quartet_is_complete' else 'member_is_present' end as rule) as x;
    return query
    select v.*
    from jsonb_each(p_node -> 'properties') as m
    cross join lateral contracts.leaf_violations(m.value, p_value -> m.key, p_path || '/' || m.key) as v
    where p_value ? m.key;
    return query
    select v.*
    from jsonb_each(p_node -> 'properties') as m
    cross join lateral contracts.node_violations(m.value, p_value -> m.key, p_path || '/' || m.key) as v
    where contracts.has_more_below(m.value, p_value -> m.key);
    if p_node ? 'x-counts' then
        return query
        select p_path || '/' || c.counter, 'count_equals_length', contracts.rule_message('count_equals_length')
        from jsonb_each_text(p_node -> 'x-counts') as c(counter, counted)
        where jsonb_typeof(p_value -> c.counter) = 'number'
            and jsonb_typeof(p_value -> c.counted) = 'array'
            and (p_value -> c.counter)::numeric <> jsonb_array_length(p_value -> c.counted);
    end if;
    if p_node ? 'x-equal' then
        return query
        select p_path || e.pointer, 'members_are_equal', contracts.rule_message('members_are_equal')
        from jsonb_each_text(p_node -> 'x-equal') as e(pointer, other)
        where p_value #> string_to_array(substr(e.pointer, 2), '/') <> p_value #> string_to_array(substr(e.other, 2), '/');
    end if;
    for v_case in select c.value from jsonb_array_elements(p_node -> 'allOf') as c loop
        if not exists (select from contracts.object_violations(v_case -> 'if', p_value, '') as v) then
            return query select v.* from contracts.object_violations(v_case -> 'then', p_value, p_path) as v;
        end if;
    end loop;
end
$$;
comment on function contracts.object_violations(jsonb, jsonb, text) is 'Internal: What an object node refuses: unknown, missing and wrong members, counts, unequal members, conditions.';
