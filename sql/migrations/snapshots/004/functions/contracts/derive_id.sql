-- A deterministic identifier: UUIDv8 (RFC 9562) from the first 16 bytes of the namespace's hash of the candidate. No locks. Raises
-- OX001 under the rule that the candidate breaks, OX023 namespace_is_registered.
-- Callers: every role.
create or replace function contracts.derive_id(p_namespace text, p_candidate json) returns uuid
language sql
stable
called on null input
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
    select encode(set_byte(set_byte(h.hash, 6, (get_byte(h.hash, 6) & 15) | 128), 8, (get_byte(h.hash, 8) & 63) | 128), 'hex')::uuid
    from (select substr(contracts.derive(p_namespace, p_candidate), 1, 16) as hash) as h
$$;
comment on function contracts.derive_id(text, json) is 'The identifier that a strict candidate has in a namespace of contracts.namespaces: the same candidate gives the same UUIDv8 everywhere.';
