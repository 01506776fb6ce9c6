-- What a registered schema refuses in a value that contracts.read_json has read: every place and rule, unordered. The compiled
-- check answers for nearly all valid values; only what it does not accept is judged by the schema itself.
-- Callers: contracts.canonical_envelope, contracts.validate, inbox.candidate_fault, outbox.ack_fault, outbox.refuse_payloads.
create or replace function contracts.schema_violations(p_schema text, p_value jsonb) returns setof contracts.violation
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_schema contracts.schemas;
begin
    select s.* into strict v_schema from contracts.schemas as s where s.schema = p_schema;
    if jsonb_path_match(p_value, v_schema.quick_check, '{}', true) then
        return;
    end if;
    return query select v.* from contracts.node_violations(v_schema.document, v_schema.document, coalesce(p_value, 'null'), '') as v;
end
$$;
comment on function contracts.schema_violations(text, jsonb) is 'Internal: What a registered schema refuses in a value: every place and rule.';
