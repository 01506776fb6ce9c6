-- What one schema node refuses in a value and everything below it; p_document is where the node's local references lead. The
-- dialect is that of docs/contracts.md, which says for each keyword which rule it is and which path is reported.
-- Callers: contracts.array_violations, contracts.object_violations, contracts.schema_violations.
create or replace function contracts.node_violations(p_document jsonb, p_node jsonb, p_value jsonb, p_path text)
returns setof contracts.violation
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_document jsonb := p_document;
    v_node jsonb := p_node;
    v_type text := jsonb_typeof(p_value);
    v_member text;
    v_rule text;
begin
    loop
        if v_node ? '$ref' then
            select r.document, r.node into v_document, v_node from contracts.resolve_node(v_document, v_node) as r;
        end if;
        exit when not v_node ? 'oneOf';
        v_member := v_node ->> 'x-discriminator';
        if v_type <> 'object' then
            return next (p_path, 'type_is_right', contracts.rule_message('type_is_right'))::contracts.violation;
            return;
        end if;
        v_node := case when p_value ? v_member then contracts.union_branch(v_document, v_node, p_value -> v_member) end;
        if v_node is null then
            v_rule := case when p_value ? v_member then 'branch_is_known' else 'member_is_present' end;
            return next (p_path || '/' || v_member, v_rule, contracts.rule_message(v_rule))::contracts.violation;
            return;
        end if;
    end loop;
    v_rule := case
        when v_node ? 'const' then case when p_value <> v_node -> 'const' then 'value_is_expected' end
        when v_node ? 'enum' then case when v_type <> 'string' or not v_node -> 'enum' @> p_value then 'value_is_listed' end
        when not v_node ? 'type' then null
        when v_node ->> 'type' = 'integer' then
            case when v_type <> 'number' or p_value::numeric <> trunc(p_value::numeric) then 'type_is_right' end
        when v_node ->> 'type' <> v_type then 'type_is_right'
    end;
    if v_rule is not null then
        return next (p_path, v_rule, contracts.rule_message(v_rule))::contracts.violation;
        return;
    end if;
    case v_type
        when 'object' then
            return query select v.* from contracts.object_violations(v_document, v_node, p_value, p_path) as v;
        when 'array' then
            return query select v.* from contracts.array_violations(v_document, v_node, p_value, p_path) as v;
        when 'string' then
            return query select v.* from contracts.text_violations(v_node, p_value #>> '{}', p_path) as v;
        when 'number' then
            if p_value::numeric < (v_node -> 'minimum')::numeric or p_value::numeric > (v_node -> 'maximum')::numeric then
                return next (p_path, 'number_within_bounds', contracts.rule_message('number_within_bounds'))::contracts.violation;
            end if;
        else
            null;
    end case;
end
$$;
comment on function contracts.node_violations(jsonb, jsonb, jsonb, text) is 'Internal: What one schema node refuses in a value and everything below it.';
