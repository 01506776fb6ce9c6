-- Whether a JSON value is a schema version: numbers with dots.
-- Callers: contracts.delivery_set_shape_violations, contracts.envelope_fault, inbox.candidate_fault.
create or replace function contracts.is_schema_version(p_value jsonb) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select contracts.is_text_like(p_value, '^[0-9]+([.][0-9]+)*$', 64)
$$;
comment on function contracts.is_schema_version(jsonb) is 'Internal: Whether a JSON value is a schema version: numbers with dots.';
