-- The members of a receipt type whose receipts are flat and closed, its coordinates and time left out; null for a type whose body
-- is its consumer's business. No locks, raises nothing.
-- Callers: inbox.candidate_fault, outbox.ack_fault.
create or replace function contracts.receipt_members(p_receipt_type text) returns text[]
language sql
immutable
strict
parallel safe
as $$
    select case p_receipt_type
        when 'OperationsProjectionAppliedReceipt' then
            '{destination,consumerName,projectionName,projectionVersion,eventId,eventType,eventSchemaVersion,eventEnvelopeDigestAlgorithmVersion,eventEnvelopeSha256}'::text[]
    end
$$;
comment on function contracts.receipt_members(text) is 'Internal: The members of a receipt type whose receipts are flat and closed; null for another.';
