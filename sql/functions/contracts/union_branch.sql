-- The branch of a union that a discriminator's value picks; null when none does.
-- Callers: contracts.node_violations.
create or replace function contracts.union_branch(p_union jsonb, p_value jsonb) returns jsonb
language sql
immutable
called on null input
parallel safe
as $$
    select b.branch
    from jsonb_array_elements(p_union -> 'oneOf') as b(branch)
    cross join lateral (select b.branch -> 'properties' -> (p_union ->> 'x-discriminator') as discriminator) as d
    where d.discriminator -> 'const' = p_value
        or (jsonb_typeof(p_value) = 'string' and d.discriminator -> 'enum' @> p_value)
    limit 1
$$;
comment on function contracts.union_branch(jsonb, jsonb) is 'Internal: The branch of a union that a discriminator''s value picks.';
