-- What a schema node refuses below an object or array of the right type. The dialect is that of docs/contracts.md, which says for
-- each keyword which rule it is and which path is reported.
-- Callers: contracts.array_violations, contracts.object_violations, contracts.schema_violations.
create or replace function contracts.node_violations(p_node jsonb, p_value jsonb, p_path text) returns setof contracts.violation
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_node jsonb := p_node;
    v_member text := p_node ->> 'x-discriminator';
    v_rule text;
begin
    if v_member is not null then
        v_node := case when p_value ? v_member then contracts.union_branch(p_node, p_value -> v_member) end;
        if v_node is null then
            v_rule := case when p_value ? v_member then 'branch_is_known' else 'member_is_present' end;
            return next (p_path || '/' || v_member, v_rule, contracts.rule_message(v_rule))::contracts.violation;
            return;
        end if;
    end if;
    if jsonb_typeof(p_value) = 'array' then
        return query select v.* from contracts.array_violations(v_node, p_value, p_path) as v;
    elsif jsonb_typeof(p_value) = 'object' then
        return query select v.* from contracts.object_violations(v_node, p_value, p_path) as v;
    end if;
end
$$;
comment on function contracts.node_violations(jsonb, jsonb, text) is 'Internal: What a schema node refuses below an object or array of the right type.';
