-- Whether a JSON value is a SHA-256 digest in lower case hex.
-- Callers: contracts.delivery_set_shape_violations, inbox.candidate_fault, outbox.ack_fault.
create or replace function contracts.is_sha256(p_value jsonb) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select contracts.is_text_like(p_value, '^[0-9a-f]{64}$', 64)
$$;
comment on function contracts.is_sha256(jsonb) is 'Internal: Whether a JSON value is a SHA-256 digest in lower case hex.';
