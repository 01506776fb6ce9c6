-- Settles one attempt as acknowledged. Locks and effects: outbox.settle_attempts. Raises OX020, OX021, OX022.
-- Callers: outbox_dispatcher.
create or replace function outbox.acknowledge_delivery(p_outcome json) returns outbox.settled_attempt
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return outbox.settle_one(p_outcome, 'acknowledged');
end
$$;
comment on function outbox.acknowledge_delivery(json) is 'Settles one attempt as acknowledged, or raises: OX020 stale_fence, OX021 ack_invalid, OX022 outcome_invalid.';
