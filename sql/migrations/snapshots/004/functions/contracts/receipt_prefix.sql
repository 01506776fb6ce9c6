-- The member prefix of a receipt type: its name in lower camel case. Called wherever a receipt's members are named.
-- Callers: contracts.receipt_time_member, inbox.record_receipt, outbox.ack_fault, outbox.same_ack, outbox.settle_attempts.
create or replace function contracts.receipt_prefix(p_receipt_type text) returns text
language sql
immutable
strict
parallel safe
as $$
    select lower(left(p_receipt_type, 1)) || substr(p_receipt_type, 2)
$$;
comment on function contracts.receipt_prefix(text) is 'Internal: The member prefix of a receipt type: its name in lower camel case.';
