-- The member that holds a receipt's own time, which its digest leaves out.
-- Callers: inbox.record_receipt, outbox.ack_fault.
create or replace function contracts.receipt_time_member(p_receipt_type text) returns text
language sql
immutable
strict
parallel safe
as $$
    select case p_receipt_type when 'OperationsProjectionAppliedReceipt' then 'appliedAt' else 'committedAt' end
$$;
comment on function contracts.receipt_time_member(text) is 'Internal: The member that holds a receipt''s own time, which its digest leaves out.';
