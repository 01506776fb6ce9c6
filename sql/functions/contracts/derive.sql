-- The hash that a namespace's identifiers and keys are taken from: sha256 of the namespace id's 16 bytes and the canonical
-- candidate. No locks. Raises OX001 under the rule that the candidate breaks, OX023 namespace_is_registered.
-- Callers: contracts.derive_id, contracts.derive_key.
create or replace function contracts.derive(p_namespace text, p_candidate json) returns bytea
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_namespace contracts.namespaces;
    v_fault contracts.violation;
begin
    select n.* into v_namespace from contracts.namespaces as n where n.namespace = p_namespace;
    if not found then
        raise exception using
            errcode = 'OX023',
            constraint = 'namespace_is_registered',
            message = 'the namespace is not registered',
            detail = 'p_namespace',
            hint = 'contracts.namespaces lists them; a release migration adds one.';
    end if;
    select v.* into v_fault from contracts.validate(v_namespace.candidate_schema, p_candidate) as v limit 1;
    if v_fault.rule is not null then
        perform contracts.refuse('OX001', v_fault.rule, v_fault.path);
    end if;
    return sha256(uuid_send(v_namespace.namespace_id) || convert_to(contracts.jcs(p_candidate), 'UTF8'));
end
$$;
comment on function contracts.derive(text, json) is 'Internal: The hash that a namespace''s identifiers and keys are taken from.';
