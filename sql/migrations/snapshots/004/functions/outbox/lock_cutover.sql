-- The cutover lock: no append is in flight once it is held, and none begins until this transaction ends. While it is only asked
-- for, in rounds of at most 50 ms with pauses, producers go on. Locks: active_delivery_set in share row exclusive mode, first of
-- all locks. Raises OX012, OX023.
-- Callers: outbox_governor, outbox.activate_delivery_set.
create or replace function outbox.lock_cutover(p_wait interval default '5 s') returns void
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_wait interval := outbox.exact_duration(p_wait);
begin
    if not coalesce(v_wait between interval '0' and interval '1 hour', false) then
        perform outbox.refuse_argument('wait_is_bounded', 'p_wait', 'Wait for 0 to 1 hour.');
    end if;
    if not outbox.lock_in_rounds('outbox.active_delivery_set', v_wait) then
        raise exception using
            errcode = 'OX012',
            constraint = 'cutover_is_exclusive',
            message = 'producers kept the cutover lock for all of the wait',
            detail = format('waited %s', v_wait),
            hint = 'Look for long or prepared producer transactions in pg_locks and pg_prepared_xacts, or wait longer.';
    end if;
end
$$;
comment on function outbox.lock_cutover(interval) is 'Keeps appends out until this transaction ends, so that a projection switch and outbox.activate_delivery_set can share one transaction. Raises OX012 after p_wait.';
