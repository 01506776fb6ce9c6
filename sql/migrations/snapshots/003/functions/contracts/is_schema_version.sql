-- Whether a JSON value is a schema version: numbers with dots. Called by the functions that judge members.
create or replace function contracts.is_schema_version(p_value jsonb) returns boolean
language sql
immutable
parallel safe
as $$
    select contracts.is_text_like(p_value, '^[0-9]+([.][0-9]+)*$', 64)
$$;
comment on function contracts.is_schema_version(jsonb) is 'Internal: Whether a JSON value is a schema version: numbers with dots.';
