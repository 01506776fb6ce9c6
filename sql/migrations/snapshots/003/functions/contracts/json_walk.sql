-- Every value of a document with its JSON Pointer, read from the json text, so that duplicate members and the text of
-- numbers stay visible. For diagnostics and small documents: it copies each level again. NUL and lone surrogates must be
-- gone before. Stops below p_levels levels. Called by contracts.read_json once a cheap test has failed.
create or replace function contracts.json_walk(p_document json, p_levels int)
returns table (path text, name text, value json, level int)
language sql
immutable
parallel safe
as $$
    with recursive walk as (
        select '' as path, null::text as name, p_document as value, 0 as level
        union all
        select w.path || '/' || contracts.pointer_token(child.name), child.name, child.value, w.level + 1
        from walk as w
        cross join lateral (
            select e.key as name, e.value
            from json_each(case when json_typeof(w.value) = 'object' then w.value else '{}' end) as e
            union all
            select (a.ordinality - 1)::text, a.value
            from json_array_elements(case when json_typeof(w.value) = 'array' then w.value else '[]' end)
                with ordinality as a(value, ordinality)
        ) as child
        where w.level < p_levels
    )
    select w.path, w.name, w.value, w.level
    from walk as w
$$;
comment on function contracts.json_walk(json, integer) is 'Internal: Every value of a document with its JSON Pointer, read from the json text, so that duplicate members and the text of numbers stay visible.';
