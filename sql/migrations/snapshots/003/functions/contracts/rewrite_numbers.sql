-- The same JSON text with every number token in canonical form; null when one is beyond the range of a double or, when
-- p_exact, changed by it. Called by contracts.read_json for documents with numbers that a cast to numeric might refuse.
create or replace function contracts.rewrite_numbers(p_raw text, p_exact boolean) returns text
language sql
immutable
parallel safe
as $$
    select case
        when bool_or(t.token[2] is not null and n.number is null) then null
        else string_agg(coalesce(t.token[1], n.number, t.token[3]), '' order by t.ordinality)
    end
    from regexp_matches(p_raw, E'("(?:[^"\\\\]|\\\\.)*")|(-?[0-9][0-9.eE+-]*)|([^"0-9-]+)', 'g')
        with ordinality as t(token, ordinality)
    cross join lateral (select contracts.jcs_number_token(t.token[2], p_exact) as number) as n
$$;
comment on function contracts.rewrite_numbers(text, boolean) is 'Internal: The same JSON text with every number token in canonical form; null when one is beyond the range of a double or, when p_exact, changed by it.';
