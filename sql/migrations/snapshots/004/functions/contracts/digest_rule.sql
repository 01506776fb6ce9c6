-- The digest rule of a registered schema (its x-digest), or null when it has none. No locks. Raises OX023 schema_is_registered.
-- Callers: contracts.digest, contracts.validate, inbox.record_receipt, outbox.ack_fault.
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
    where s.schema = p_schema;
    if not found then
        raise exception using
            errcode = 'OX023',
            constraint = 'schema_is_registered',
            message = 'the schema is not registered',
            detail = 'p_schema',
            hint = 'contracts.schemas lists them by name and version, for example EventEnvelope@1.';
    end if;
    return v_rule;
end
$$;
comment on function contracts.digest_rule(text) is 'Internal: The digest rule of a registered schema, or null when it has none.';
