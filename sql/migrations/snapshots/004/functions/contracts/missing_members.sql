-- The members that an object lacks: required ones, and those of a quartet of which another member is present.
-- Callers: contracts.object_violations.
create or replace function contracts.missing_members(p_node jsonb, p_value jsonb) returns table (name text, of_quartet boolean)
language sql
immutable
called on null input
parallel safe
as $$
    select m.name, bool_or(m.of_quartet)
    from (
        select r.name, false as of_quartet
        from jsonb_array_elements_text(p_node -> 'required') as r(name)
        union all
        select q.prefix || s.suffix, true
        from jsonb_array_elements_text(p_node -> 'x-quartets') as q(prefix)
        cross join unnest('{Ref,SchemaVersion,DigestAlgorithmVersion,Digest}'::text[]) as s(suffix)
        where p_value ?| array[q.prefix || 'Ref', q.prefix || 'SchemaVersion', q.prefix || 'DigestAlgorithmVersion', q.prefix || 'Digest']
    ) as m
    where not p_value ? m.name
    group by m.name
$$;
comment on function contracts.missing_members(jsonb, jsonb) is 'Internal: The members that an object lacks.';
