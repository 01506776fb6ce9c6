-- The sentence of a rule, for a violation's detail.
-- Callers: contracts.array_violations, contracts.leaf_violations, contracts.object_violations, contracts.union_violations,
-- contracts.validate.
create or replace function contracts.rule_message(p_rule text) returns text
language sql
immutable
strict
parallel safe
as $$
    select r.message
    from contracts.rules() as r
    where r.rule = p_rule
$$;
comment on function contracts.rule_message(text) is 'Internal: The sentence of a rule.';
