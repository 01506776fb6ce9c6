-- The same JSON text with the number tokens that a cast to numeric might refuse (exponents of three digits, 200 digits) in
-- canonical form; null when one of them is beyond the range of a double or, when p_exact, changed by it. Strings are matched too,
-- so that nothing in them is taken for a number.
-- Callers: contracts.breaks_rule, contracts.read_json.
create or replace function contracts.rewrite_numbers(p_raw text, p_exact boolean) returns text
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_token text := E'"(?:[^"\\\\]|\\\\.)*"|-?[0-9.]+[eE][+-]?[0-9][0-9][0-9]+|-?[0-9.]{200,}(?:[eE][+-]?[0-9]+)?';
begin
    return (
        select case
            when bool_or(t.token[1] is not null and n.text is null) then null
            else string_agg(b.text || coalesce(n.text, ''), '' order by b.place)
        end
        from regexp_split_to_table(p_raw, v_token) with ordinality as b(text, place)
        left join regexp_matches(p_raw, v_token, 'g') with ordinality as t(token, place) on t.place = b.place
        cross join lateral (
            select case
                when left(t.token[1], 1) = '"' then t.token[1]
                else contracts.jcs_number_token(t.token[1], p_exact)
            end as text
        ) as n
    );
end
$$;
comment on function contracts.rewrite_numbers(text, boolean) is 'Internal: The same JSON text with its unusual number tokens in canonical form; null when one cannot be kept.';
