-- What a string node refuses: length in code points, pattern, canonical decimal.
-- Callers: contracts.node_violations.
create or replace function contracts.text_violations(p_node jsonb, p_text text, p_path text) returns setof contracts.violation
language sql
immutable
called on null input
parallel safe
as $$
    select p_path, x.rule, contracts.rule_message(x.rule)
    from (
        values
        ('text_length_within_bounds', length(p_text) < (p_node -> 'minLength')::int or length(p_text) > (p_node -> 'maxLength')::int),
        ('text_matches_pattern', p_text !~ (p_node ->> 'pattern')),
        (
            'decimal_is_canonical',
            p_text = '-0' or p_text !~ format(
                '^%s(0|[1-9][0-9]{0,%s})([.][0-9]{0,%s}[1-9])?$',
                case when (p_node #> '{x-decimal,signed}')::boolean then '-?' end,
                (p_node #> '{x-decimal,precision}')::int - (p_node #> '{x-decimal,scale}')::int - 1,
                (p_node #> '{x-decimal,scale}')::int - 1
            )
        )
    ) as x(rule, broken)
    where x.broken and (x.rule <> 'decimal_is_canonical' or p_node ? 'x-decimal')
$$;
comment on function contracts.text_violations(jsonb, text, text) is 'Internal: What a string node refuses: length, pattern, canonical decimal.';
