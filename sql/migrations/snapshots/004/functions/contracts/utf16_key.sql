-- A text whose "C" order is the order of the UTF-16 code units of the given one. Only characters beyond U+FFFF are out of order: as
-- surrogate pairs they sort before U+E000 to U+FFFF. So these get a prefix that sorts after every character, and the prefix
-- itself, where it is a character of the text, a successor that keeps the two apart.
-- Callers: contracts.array_keys, contracts.form_fault, contracts.jcs_node.
create or replace function contracts.utf16_key(p_text text) returns text
language sql
immutable
strict
parallel safe
as $$
    select case
        when octet_length(p_text) = length(p_text) then p_text
        else regexp_replace(
            replace(p_text, E'\U0010ffff', E'\U0010ffff\u0001'), E'([\ue000-\uffff])', E'\U0010ffff\\1', 'g'
        )
    end
$$;
comment on function contracts.utf16_key(text) is 'Internal: A text whose "C" order is the order of the UTF-16 code units of the given one.';
