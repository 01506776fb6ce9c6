-- The digest rule of a registered schema (its x-digest), or null when it has none. No locks. Raises OX023 schema_is_registered.
-- Callers: contracts.digest, contracts.validate, outbox.ack_fault.
create or replace function contracts.digest_rule(p_schema text) returns jsonb
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_rule jsonb;
begin
    select s.digest_rule into v_rule
    from contracts.schemas as s
    -- A schema that only holds definitions for others describes no document.
    where s.schema = p_schema and s.resolved is not null;
    if not found then
        raise exception using
            errcode = 'OX023',
            constraint = 'schema_is_registered',
            message = 'the schema is not registered',
            detail = 'p_schema',
            hint = 'contracts.schemas lists them by name and version, for example EventEnvelope@1; CommonTypes@1 describes no document.';
    end if;
    return v_rule;
end
$$;
comment on function contracts.digest_rule(text) is 'Internal: The digest rule of a registered schema, or null when it has none.';
