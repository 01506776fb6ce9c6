-- Whether a schema node says more about a value than contracts.leaf_violations judges.
-- Callers: contracts.node_violations, contracts.object_violations.
create or replace function contracts.is_container(p_node jsonb) returns boolean
language sql
immutable
strict
parallel safe
as $$
    select p_node ?| '{items,oneOf,properties,required,x-equal}'
$$;
comment on function contracts.is_container(jsonb) is 'Internal: Whether a schema node says more about a value than contracts.leaf_violations judges.';
