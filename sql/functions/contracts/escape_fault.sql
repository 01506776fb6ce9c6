-- The first \u escape that PostgreSQL text cannot hold: U+0000, or a surrogate without its partner. No row when there is none. It
-- works on the text because every json function that unescapes raises on them (22P05, 22P02). The path is found by putting a
-- marker in their place.
-- Callers: contracts.read_json.
create or replace function contracts.escape_fault(p_raw text, p_locate boolean) returns table (path text, rule text)
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    -- An escaped backslash is not the start of an escape.
    v_raw text := replace(p_raw, E'\\\\', E'\\u005c');
    v_marker text := 'bad' || md5(p_raw);
    v_pair text := 'pair' || md5(p_raw);
begin
    -- Well-formed pairs are hidden first; what is left of D800-DFFF then stands alone.
    v_raw := regexp_replace(
        v_raw, E'\\\\u([dD][89abAB][0-9a-fA-F]{2})\\\\u([dD][c-fC-F][0-9a-fA-F]{2})', v_pair || E'\\1' || v_pair || E'\\2', 'g'
    );
    if v_raw ~ E'\\\\u0000' then
        rule := 'no_nul_character';
    elsif v_raw ~ E'\\\\u[dD][89a-fA-F]' then
        rule := 'no_lone_surrogate';
    else
        return;
    end if;
    if not p_locate then
        path := '';
        return next;
        return;
    end if;
    v_raw := regexp_replace(v_raw, E'\\\\u0000|\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}', v_marker, 'g');
    path := contracts.locate(replace(v_raw, v_pair, E'\\u')::json, rule, v_marker);
    return next;
end
$$;
comment on function contracts.escape_fault(text, boolean) is 'Internal: The first Unicode escape that PostgreSQL text cannot hold.';
