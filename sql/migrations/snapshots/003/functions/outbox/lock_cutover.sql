-- The cutover lock: no append is in flight while it is held, until this transaction ends. It is asked for in rounds of at most
-- 50 ms with pauses, so that producers never queue behind it for long. Locks: active_delivery_set in share row exclusive mode,
-- first of all locks. Raises OX012, OX023. Callers: outbox_governor, outbox.activate_delivery_set.
create or replace function outbox.lock_cutover(p_wait interval default '5 s') returns void
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_lock_timeout text := current_setting('lock_timeout');
    v_wait interval := outbox.exact_duration(p_wait);
    v_deadline timestamptz;
begin
    if not coalesce(v_wait between interval '0' and interval '1 hour', false) then
        perform outbox.refuse_argument('wait_is_bounded', 'p_wait', 'Wait for 0 to 1 hour.');
    end if;
    v_deadline := clock_timestamp() + v_wait;
    loop
        begin
            perform set_config('lock_timeout', '50ms', true);
            lock table outbox.active_delivery_set in share row exclusive mode;
            perform set_config('lock_timeout', v_lock_timeout, true);
            return;
        exception when lock_not_available or deadlock_detected then
            perform set_config('lock_timeout', v_lock_timeout, true);
        end;
        if clock_timestamp() >= v_deadline then
            raise exception using
                errcode = 'OX012',
                constraint = 'cutover_is_exclusive',
                message = 'producers kept the cutover lock for all of the wait',
                detail = format('waited %s', v_wait),
                hint = 'Look for long or prepared producer transactions in pg_locks and pg_prepared_xacts, or wait longer.';
        end if;
        perform pg_sleep(0.05 + random() * 0.05);
    end loop;
end
$$;
comment on function outbox.lock_cutover(interval) is 'Keeps appends out until this transaction ends, so that a projection switch and outbox.activate_delivery_set can share one transaction. Raises OX012 after p_wait.';
