-- A deterministic idempotency key: the namespace, a colon, and the hash of the candidate in hex. No locks. Raises OX001 under the
-- rule that the candidate breaks, OX023 namespace_is_registered.
-- Callers: every role.
create or replace function contracts.derive_key(p_namespace text, p_candidate json) returns text
language sql
stable
called on null input
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
    select p_namespace || ':' || encode(contracts.derive(p_namespace, p_candidate), 'hex')
$$;
comment on function contracts.derive_key(text, json) is 'The idempotency key that a strict candidate has in a namespace of contracts.namespaces: namespace:64 hex digits.';
