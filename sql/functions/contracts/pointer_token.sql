-- A member name as a reference token of a JSON Pointer (RFC 6901), cut to 64 characters: paths are for people, and a path of long
-- names in front of many values would outgrow the document. Called wherever a path is built.
-- Callers: contracts.form_fault, contracts.jcs_node, contracts.jcs_number, contracts.locate, contracts.object_violations,
-- outbox.change_settings.
create or replace function contracts.pointer_token(p_name text) returns text
language sql
immutable
strict
parallel safe
as $$
    select replace(replace(left(p_name, 64), '~', '~0'), '/', '~1')
$$;
comment on function contracts.pointer_token(text) is 'Internal: A member name as a reference token of a JSON Pointer (RFC 6901), cut to 64 characters.';
