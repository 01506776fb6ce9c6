-- A member name as a reference token of a JSON Pointer (RFC 6901). Called wherever a path is built.
create or replace function contracts.pointer_token(p_name text) returns text
language sql
immutable
strict
parallel safe
as $$
    select replace(replace(p_name, '~', '~0'), '/', '~1')
$$;
comment on function contracts.pointer_token(text) is 'Internal: A member name as a reference token of a JSON Pointer (RFC 6901).';
