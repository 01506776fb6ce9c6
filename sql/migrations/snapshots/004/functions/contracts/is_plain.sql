-- Whether a JSON text is plain, in one scan of the whole: names without escapes and without characters beyond U+FFFF, texts without
-- \u escapes, numbers of at most 15 characters that are the shortest spelling of their double but for zeros at the end. Most
-- documents are, and contracts.jcs_plain writes them. In a plain document only nesting, duplicate names and NFC are left to judge.
-- A text that is not JSON may pass: ask about the text of a json value. A name is known by its colon, a text by what follows it.
-- Callers: contracts.jcs, contracts.read_json.
create or replace function contracts.is_plain(p_raw text) returns boolean
language sql
immutable
strict
parallel safe
as $$
    select p_raw ~ (
        E'^(?:[][{}, \t\n\ra-z]'
        || E'|-?(?:[1-9][0-9.]{0,14}|0(?:[.]0{0,5}[1-9][0-9]{0,7})?)[] \t\n\r,}]'
        || E'|"[^"\\\\\U00010000-\U0010ffff]*"[ \t\n\r]*:'
        || E'|"(?:[^"\\\\]|\\\\[^u])*"[ \t\n\r]*[],}])*$'
    )
$$;
comment on function contracts.is_plain(text) is 'Internal: Whether a JSON text needs no care but for nesting, duplicate names and NFC.';
