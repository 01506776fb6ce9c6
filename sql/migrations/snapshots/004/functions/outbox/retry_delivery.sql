-- Settles one attempt as retryable. Locks and effects: outbox.settle_attempts. Raises OX020, OX022.
-- Callers: outbox_dispatcher.
create or replace function outbox.retry_delivery(p_outcome json) returns outbox.settled_attempt
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return outbox.settle_one(p_outcome, 'retryable');
end
$$;
comment on function outbox.retry_delivery(json) is 'Settles one attempt as retryable, or raises: OX020 stale_fence, OX022 outcome_invalid.';
