-- How many object members a JSON text writes, at all levels: its colons outside of strings.
-- Callers: contracts.breaks_rule, contracts.read_json.
create or replace function contracts.member_count(p_raw text) returns int
language sql
immutable
strict
parallel safe
as $$
    select length(s.skeleton) - length(replace(s.skeleton, ':', ''))
    from (select regexp_replace(p_raw, E'"(?:[^"\\\\]|\\\\.)*"', '', 'g') as skeleton) as s
$$;
comment on function contracts.member_count(text) is 'Internal: How many object members a JSON text writes, at all levels: its colons outside of strings.';
