-- What an array node refuses: number of items, each item, order and uniqueness of the keys. An array that is out of bounds is not
-- judged further, however long it is. Items whose key members are not all texts have no place in the order; their own node
-- reports them.
-- Callers: contracts.node_violations.
create or replace function contracts.array_violations(p_node jsonb, p_items contracts.located[]) returns setof contracts.violation
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_arrays contracts.located[] := array(
        select i
        from unnest(p_items) as i
        where jsonb_array_length(i.value)
            between coalesce((p_node -> 'minItems')::int, 0) and coalesce((p_node -> 'maxItems')::int, 2147483647)
    );
    v_below contracts.located[];
begin
    return query
    select i.path, 'array_length_within_bounds', contracts.rule_message('array_length_within_bounds')
    from unnest(p_items) as i
    where jsonb_array_length(i.value)
        not between coalesce((p_node -> 'minItems')::int, 0) and coalesce((p_node -> 'maxItems')::int, 2147483647);
    v_below := array(
        select row(i.path || '/' || (e.place - 1), e.value)::contracts.located
        from unnest(v_arrays) as i
        cross join lateral jsonb_array_elements(i.value) with ordinality as e(value, place)
    );
    if cardinality(v_below) > 0 then
        return query select v.* from contracts.node_violations(p_node -> 'items', v_below) as v;
    end if;
    if p_node ? 'x-sorted-by' then
        return query
        select k.path || '/' || (k.place - 1), 'array_is_sorted', contracts.rule_message('array_is_sorted')
        from (
            select i.path, k.key, k.place, lag(k.key) over (partition by i.path order by k.place) as previous
            from unnest(v_arrays) as i
            cross join lateral contracts.array_keys(i.value, p_node -> 'x-sorted-by') as k
        ) as k
        where k.key collate "C" < k.previous;
    end if;
    if p_node ? 'x-unique-by' then
        return query
        select k.path || '/' || (k.place - 1), 'array_has_no_duplicate', contracts.rule_message('array_has_no_duplicate')
        from (
            select i.path, k.place, row_number() over (partition by i.path, k.key order by k.place) as occurrence
            from unnest(v_arrays) as i
            cross join lateral contracts.array_keys(i.value, p_node -> 'x-unique-by') as k
        ) as k
        where k.occurrence > 1;
    end if;
end
$$;
comment on function contracts.array_violations(jsonb, contracts.located[]) is 'Internal: What an array node refuses: number of items, each item, order and uniqueness of the keys.';
