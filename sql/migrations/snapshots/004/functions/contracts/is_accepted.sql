-- Whether the compiled check of a registered schema accepts a value. False says nothing: contracts.schema_violations then judges.
-- Callers: contracts.schema_violations, outbox.ack_fault.
create or replace function contracts.is_accepted(p_schema text, p_value jsonb) returns boolean
language sql
stable
called on null input
parallel safe
as $$
    select coalesce((
        select jsonb_path_match(p_value, s.quick_check, '{}', true)
        from contracts.schemas as s
        where s.schema = p_schema
    ), false)
$$;
comment on function contracts.is_accepted(text, jsonb) is 'Internal: Whether the compiled check of a registered schema accepts a value.';
