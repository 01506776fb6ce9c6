-- A deterministic identifier: UUIDv8 (RFC 9562) from the first 16 bytes of the namespace's hash of the candidate. No locks. Raises
-- OX001 under the rule that the candidate breaks, OX023 namespace_is_registered.
-- Callers: every role.
create or replace function contracts.derive_id(p_namespace text, p_candidate json) returns uuid
language plpgsql
stable
called on null input
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_bytes bytea := substr(contracts.derive(p_namespace, p_candidate), 1, 16);
begin
    v_bytes := set_byte(v_bytes, 6, (get_byte(v_bytes, 6) & 15) | 128);
    v_bytes := set_byte(v_bytes, 8, (get_byte(v_bytes, 8) & 63) | 128);
    return encode(v_bytes, 'hex')::uuid;
end
$$;
comment on function contracts.derive_id(text, json) is 'The identifier that a strict candidate has in a namespace of contracts.namespaces: the same candidate gives the same UUIDv8 everywhere.';
