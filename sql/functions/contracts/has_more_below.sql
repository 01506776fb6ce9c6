-- Whether a schema node says more about a value than contracts.leaf_violations judges: it is a container, and of the right type.
-- Callers: contracts.array_violations, contracts.object_violations, contracts.schema_violations.
create or replace function contracts.has_more_below(p_node jsonb, p_value jsonb) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select case jsonb_typeof(p_value)
        when 'object' then p_node ?| '{oneOf,properties,required,x-equal}' and coalesce(p_node ->> 'type', 'object') = 'object'
        when 'array' then p_node ? 'items'
        else false
    end
$$;
comment on function contracts.has_more_below(jsonb, jsonb) is 'Internal: Whether a schema node says more about a value than contracts.leaf_violations judges.';
