-- Whether a jsonb value has more than so many levels of objects and arrays.
-- Callers: contracts.canonical_envelope, contracts.form_fault, contracts.jcs, contracts.jcs_node, contracts.read_json.
create or replace function contracts.is_deeper(p_value jsonb, p_levels int) returns boolean
language sql
immutable
strict
parallel safe
as $$
    select jsonb_path_exists(p_value, ('strict $.**{' || p_levels::text || '} ? (@.type() == "object" || @.type() == "array")')::jsonpath)
$$;
comment on function contracts.is_deeper(jsonb, integer) is 'Internal: Whether a jsonb value has more than so many levels of objects and arrays.';
