-- What an array node refuses: number of items, each item, order and uniqueness of the keys. Items whose key members are not all
-- texts have no place in the order; their own node reports them.
-- Callers: contracts.node_violations.
create or replace function contracts.array_violations(p_node jsonb, p_value jsonb, p_path text) returns setof contracts.violation
language plpgsql
immutable
called on null input
parallel safe
as $$
begin
    if jsonb_array_length(p_value) < (p_node -> 'minItems')::int or jsonb_array_length(p_value) > (p_node -> 'maxItems')::int then
        return next (
            p_path, 'array_length_within_bounds', contracts.rule_message('array_length_within_bounds')
        )::contracts.violation;
    end if;
    return query
    select v.*
    from jsonb_array_elements(p_value) with ordinality as e(value, place)
    cross join lateral contracts.leaf_violations(p_node -> 'items', e.value, p_path || '/' || (e.place - 1)) as v;
    return query
    select v.*
    from jsonb_array_elements(p_value) with ordinality as e(value, place)
    cross join lateral contracts.node_violations(p_node -> 'items', e.value, p_path || '/' || (e.place - 1)) as v
    where contracts.has_more_below(p_node -> 'items', e.value);
    if p_node ? 'x-sorted-by' then
        return query
        select p_path || '/' || (k.place - 1), 'array_is_sorted', contracts.rule_message('array_is_sorted')
        from (
            select k.key, k.place, lag(k.key) over (order by k.place) as previous
            from contracts.array_keys(p_value, p_node -> 'x-sorted-by') as k
        ) as k
        where k.key collate "C" < k.previous;
    end if;
    if p_node ? 'x-unique-by' then
        return query
        select p_path || '/' || (k.place - 1), 'array_has_no_duplicate', contracts.rule_message('array_has_no_duplicate')
        from (
            select k.place, row_number() over (partition by k.key order by k.place) as occurrence
            from contracts.array_keys(p_value, p_node -> 'x-unique-by') as k
        ) as k
        where k.occurrence > 1;
    end if;
end
$$;
comment on function contracts.array_violations(jsonb, jsonb, text) is 'Internal: What an array node refuses: number of items, each item, order and uniqueness of the keys.';
