-- What an object node refuses: unknown, missing and wrong members, counts, unequal members, and what its conditions ask for. Only
-- unknown names need escaping in a path: those of a schema are plain words.
-- Callers: contracts.node_violations, contracts.union_violations.
create or replace function contracts.object_violations(p_node jsonb, p_items contracts.located[]) returns setof contracts.violation
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_member text;
    v_node jsonb;
    v_below contracts.located[];
    v_unmet bigint[];
begin
    if p_node -> 'additionalProperties' = 'false' then
        return query
        select i.path || '/' || contracts.pointer_token(k.name), 'member_is_known', contracts.rule_message('member_is_known')
        from unnest(p_items) as i
        cross join lateral jsonb_object_keys(i.value) as k(name)
        where not p_node -> 'properties' ? k.name;
    end if;
    return query
    select i.path || '/' || m.name, x.rule, contracts.rule_message(x.rule)
    from unnest(p_items) as i
    cross join lateral contracts.missing_members(p_node, i.value) as m
    cross join lateral (select case when m.of_quartet then 'quartet_is_complete' else 'member_is_present' end as rule) as x;
    return query
    select v.*
    from unnest(p_items) as i
    cross join jsonb_each(p_node -> 'properties') as m
    cross join lateral contracts.leaf_violations(m.value, i.value -> m.key, i.path || '/' || m.key) as v
    where i.value ? m.key and not contracts.is_container(m.value);
    for v_member, v_node in
        select m.key, m.value
        from jsonb_each(p_node -> 'properties') as m
        where contracts.is_container(m.value)
    loop
        v_below := array(
            select row(i.path || '/' || v_member, i.value -> v_member)::contracts.located
            from unnest(p_items) as i
            where i.value ? v_member
        );
        if cardinality(v_below) > 0 then
            return query select v.* from contracts.node_violations(v_node, v_below) as v;
        end if;
    end loop;
    if p_node ? 'x-counts' then
        return query
        select i.path || '/' || c.counter, 'count_equals_length', contracts.rule_message('count_equals_length')
        from unnest(p_items) as i
        cross join jsonb_each_text(p_node -> 'x-counts') as c(counter, counted)
        where jsonb_typeof(i.value -> c.counter) = 'number'
            and jsonb_typeof(i.value -> c.counted) = 'array'
            and (i.value -> c.counter)::numeric <> jsonb_array_length(i.value -> c.counted);
    end if;
    if p_node ? 'x-equal' then
        return query
        select i.path || e.pointer, 'members_are_equal', contracts.rule_message('members_are_equal')
        from unnest(p_items) as i
        cross join jsonb_each_text(p_node -> 'x-equal') as e(pointer, other)
        where i.value #> string_to_array(substr(e.pointer, 2), '/') <> i.value #> string_to_array(substr(e.other, 2), '/');
    end if;
    for v_node in select c.value from jsonb_array_elements(p_node -> 'allOf') as c loop
        -- The places of those that do not meet the condition stand where their path would begin.
        v_unmet := array(
            select distinct split_part(v.path, '/', 1)::bigint
            from contracts.object_violations(v_node -> 'if', array(
                select row(i.place::text, i.value)::contracts.located
                from unnest(p_items) with ordinality as i(path, value, place)
            )) as v
        );
        v_below := array(
            select row(i.path, i.value)::contracts.located
            from unnest(p_items) with ordinality as i(path, value, place)
            where not exists (select from unnest(v_unmet) as u(place) where u.place = i.place)
        );
        if cardinality(v_below) > 0 then
            return query select v.* from contracts.object_violations(v_node -> 'then', v_below) as v;
        end if;
    end loop;
end
$$;
comment on function contracts.object_violations(jsonb, contracts.located[]) is 'Internal: What an object node refuses: unknown, missing and wrong members, counts, unequal members, conditions.';
