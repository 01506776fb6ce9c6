-- What a schema node refuses in values and in everything below them. All values of one node are judged together, so that the work
-- in PL/pgSQL grows with the schema and not with the document. The dialect is that of docs/contracts.md, which says for each
-- keyword which rule it is and which path is reported.
-- Callers: contracts.array_violations, contracts.object_violations, contracts.schema_violations.
create or replace function contracts.node_violations(p_node jsonb, p_items contracts.located[]) returns setof contracts.violation
language plpgsql
immutable
called on null input
parallel safe
as $$
begin
    return query
    select v.*
    from unnest(p_items) as i
    cross join lateral contracts.leaf_violations(p_node, i.value, i.path) as v;
    if p_node ? 'items' then
        return query
        select v.*
        from contracts.array_violations(p_node, array(select i from unnest(p_items) as i where jsonb_typeof(i.value) = 'array')) as v;
    elsif p_node ? 'oneOf' then
        return query
        select v.*
        from contracts.union_violations(p_node, array(select i from unnest(p_items) as i where jsonb_typeof(i.value) = 'object')) as v;
    elsif contracts.is_container(p_node) then
        return query
        select v.*
        from contracts.object_violations(p_node, array(select i from unnest(p_items) as i where jsonb_typeof(i.value) = 'object')) as v;
    end if;
end
$$;
comment on function contracts.node_violations(jsonb, contracts.located[]) is 'Internal: What a schema node refuses in values and in everything below them.';
