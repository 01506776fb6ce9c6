-- The UTF-16 code units of a name, for sorting as RFC 8785 section 3.2.3 asks. A character beyond U+FFFF is a pair of units of
-- D800-DFFF and so sorts before U+E000-U+FFFF, which code point order does not do.
-- Callers: contracts.jcs_node.
create or replace function contracts.utf16_units(p_name text) returns int[]
language sql
immutable
strict
parallel safe
as $$
    select coalesce(array_agg(u.unit order by c.ordinality, u.place), '{}')
    from regexp_split_to_table(p_name, '') with ordinality as c(character, ordinality)
    cross join lateral (
        select ascii(c.character) as unit, 1 as place
        where ascii(c.character) < 65536
        union all
        select 55296 + (ascii(c.character) - 65536) / 1024, 1
        where ascii(c.character) >= 65536
        union all
        select 56320 + (ascii(c.character) - 65536) % 1024, 2
        where ascii(c.character) >= 65536
    ) as u
$$;
comment on function contracts.utf16_units(text) is 'Internal: The UTF-16 code units of a name, for sorting as RFC 8785 section 3.2.3 asks.';
