-- What a union refuses in objects: a discriminator that is missing or unknown, and whatever the picked branch refuses.
-- Callers: contracts.node_violations.
create or replace function contracts.union_violations(p_node jsonb, p_items contracts.located[]) returns setof contracts.violation
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_member text := p_node ->> 'x-discriminator';
    v_known jsonb := '[]'::jsonb;
    v_branch jsonb;
    v_literals jsonb;
    v_picked contracts.located[];
begin
    for v_branch, v_literals in
        select b.value, coalesce(d.literals -> 'enum', jsonb_build_array(d.literals -> 'const'))
        from jsonb_array_elements(p_node -> 'oneOf') as b
        cross join lateral (select b.value -> 'properties' -> v_member as literals) as d
    loop
        v_known := v_known || v_literals;
        v_picked := array(
            select i
            from unnest(p_items) as i
            where jsonb_typeof(i.value -> v_member) in ('string', 'number', 'boolean') and v_literals @> (i.value -> v_member)
        );
        if cardinality(v_picked) > 0 then
            return query select v.* from contracts.object_violations(v_branch, v_picked) as v;
        end if;
    end loop;
    return query
    select i.path || '/' || v_member, x.rule, contracts.rule_message(x.rule)
    from unnest(p_items) as i
    cross join lateral (
        select case
            when not i.value ? v_member then 'member_is_present'
            when jsonb_typeof(i.value -> v_member) not in ('string', 'number', 'boolean') or not v_known @> (i.value -> v_member)
                then 'branch_is_known'
        end as rule
    ) as x
    where x.rule is not null;
end
$$;
comment on function contracts.union_violations(jsonb, contracts.located[]) is 'Internal: What a union refuses in objects.';
