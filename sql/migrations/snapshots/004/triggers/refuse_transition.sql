-- Raises OX031: a row appeared in, or moved to, a state it may not reach. Shared by the transition triggers; the trigger's
-- argument names the invariant.
create or replace function outbox.refuse_transition() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception using
        errcode = 'OX031',
        constraint = tg_argv[0],
        message = case tg_op when 'INSERT' then 'a delivery begins pending and untouched' else format('a delivery cannot move from %s to %s this way', old.status, new.status) end,
        detail = format('delivery %s/%s', new.event_id, new.destination),
        hint = 'Use outbox.claim_deliveries, outbox.renew_leases, outbox.settle_attempts and outbox.recover_expired_leases.';
end
$$;
comment on function outbox.refuse_transition() is 'Trigger: raises OX031 under the invariant named by its argument.';
