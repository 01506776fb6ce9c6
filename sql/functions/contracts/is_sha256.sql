-- Whether a JSON value is a SHA-256 digest in lower case hex. Called by the functions that judge members.
create or replace function contracts.is_sha256(p_value jsonb) returns boolean
language sql
immutable
parallel safe
as $$
    select contracts.is_text_like(p_value, '^[0-9a-f]{64}$', 64)
$$;
comment on function contracts.is_sha256(jsonb) is 'Internal: Whether a JSON value is a SHA-256 digest in lower case hex.';
