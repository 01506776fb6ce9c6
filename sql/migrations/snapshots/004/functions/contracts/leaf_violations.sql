-- What a schema node refuses in a value by itself, whatever is below it: the literal, the type, and the form of texts and numbers.
-- Of a container only the type is judged here. One expression, so that a query judges all members of an object with it.
-- Callers: contracts.node_violations, contracts.object_violations.
create or replace function contracts.leaf_violations(p_node jsonb, p_value jsonb, p_path text) returns setof contracts.violation
language sql
immutable
called on null input
parallel safe
as $$
    select p_path, x.rule, contracts.rule_message(x.rule)
    from (select jsonb_typeof(p_value) as type, p_node ->> 'type' as expected) as t
    cross join lateral unnest(array[
        case when p_node ? 'const' and p_value <> p_node -> 'const' then 'value_is_expected' end,
        case when p_node ? 'enum' and (t.type <> 'string' or not p_node -> 'enum' @> p_value) then 'value_is_listed' end,
        case
            when p_node ? 'oneOf' then case when t.type <> 'object' then 'type_is_right' end
            when t.expected <> 'integer' then case when t.type <> t.expected then 'type_is_right' end
            when t.expected = 'integer' then
                case
                    when t.type <> 'number' then 'type_is_right'
                    when p_value::numeric <> trunc(p_value::numeric) then 'type_is_right'
                    when p_value::numeric < (p_node -> 'minimum')::numeric then 'number_within_bounds'
                    when p_value::numeric > (p_node -> 'maximum')::numeric then 'number_within_bounds'
                end
        end,
        case
            when t.type = 'string' and p_node ?| '{minLength,maxLength}' then
                case
                    when length(p_value #>> '{}') < (p_node -> 'minLength')::int then 'text_length_within_bounds'
                    when length(p_value #>> '{}') > (p_node -> 'maxLength')::int then 'text_length_within_bounds'
                end
        end,
        case when t.type = 'string' and p_node ? 'pattern' and (p_value #>> '{}') !~ (p_node ->> 'pattern') then 'text_matches_pattern' end,
        case
            when t.type = 'string' and p_node ? 'x-decimal' and not contracts.is_decimal(p_value #>> '{}', p_node -> 'x-decimal')
                then 'decimal_is_canonical'
        end
    ]) as x(rule)
    where x.rule is not null
$$;
comment on function contracts.leaf_violations(jsonb, jsonb, text) is 'Internal: What a schema node refuses in a value by itself, whatever is below it.';
