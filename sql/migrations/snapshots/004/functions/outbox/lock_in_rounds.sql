-- Takes a table lock in rounds of at most 50 ms with pauses, so that nobody queues behind the request for long; false when the
-- wait is over. Locks: the named table, until the transaction ends.
-- Callers: outbox.advance_lease_tokens, outbox.lock_cutover.
create or replace function outbox.lock_in_rounds(p_table regclass, p_wait interval) returns boolean
language plpgsql
volatile
called on null input
parallel unsafe
as $$
declare
    v_lock_timeout text := current_setting('lock_timeout');
    v_deadline timestamptz := clock_timestamp() + p_wait;
    v_locked boolean;
begin
    loop
        begin
            perform set_config('lock_timeout', '50ms', true);
            execute format('lock table %s in share row exclusive mode', p_table);
            perform set_config('lock_timeout', v_lock_timeout, true);
            v_locked := true;
        exception when lock_not_available or deadlock_detected then
            v_locked := false; -- the rolled back block has restored lock_timeout
        end;
        exit when v_locked or clock_timestamp() >= v_deadline;
        perform pg_sleep(0.05 + random() * 0.05);
    end loop;
    return v_locked;
end
$$;
comment on function outbox.lock_in_rounds(regclass, interval) is 'Internal: Takes a table lock in rounds of at most 50 ms with pauses; false when the wait is over.';
