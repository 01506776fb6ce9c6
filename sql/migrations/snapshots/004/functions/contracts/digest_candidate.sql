-- What the digest of a document covers: the document without the members that its schema's digest rule excludes.
-- Callers: contracts.digest, inbox.record_receipt, outbox.ack_fault.
create or replace function contracts.digest_candidate(p_digest_rule jsonb, p_document jsonb) returns jsonb
language sql
immutable
strict
parallel safe
as $$
    select p_document - array(select e.member from jsonb_array_elements_text(p_digest_rule -> 'excludes') as e(member))
$$;
comment on function contracts.digest_candidate(jsonb, jsonb) is 'Internal: What the digest of a document covers.';
