-- What a registered schema refuses in a value that contracts.read_json has read: every place and rule, unordered. The compiled
-- check answers for nearly all valid values; only what it does not accept is judged by the schema itself.
-- Callers: contracts.canonical_envelope, contracts.validate, inbox.candidate_fault, outbox.ack_fault.
create or replace function contracts.schema_violations(p_schema text, p_value jsonb) returns setof contracts.violation
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_node jsonb;
begin
    if contracts.is_accepted(p_schema, p_value) then
        return;
    end if;
    select s.resolved into strict v_node from contracts.schemas as s where s.schema = p_schema;
    return query
    select v.*
    from contracts.node_violations(v_node, array[row('', coalesce(p_value, 'null'))::contracts.located]) as v;
end
$$;
comment on function contracts.schema_violations(text, jsonb) is 'Internal: What a registered schema refuses in a value: every place and rule.';
