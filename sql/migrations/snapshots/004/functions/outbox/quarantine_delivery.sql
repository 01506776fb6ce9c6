-- Settles one attempt as non_retryable. Locks and effects: outbox.settle_attempts. Raises OX020, OX022.
-- Callers: outbox_dispatcher.
create or replace function outbox.quarantine_delivery(p_outcome json) returns outbox.settled_attempt
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return outbox.settle_one(p_outcome, 'non_retryable');
end
$$;
comment on function outbox.quarantine_delivery(json) is 'Settles one attempt as non_retryable, or raises: OX020 stale_fence, OX022 outcome_invalid.';
