-- Moves the fencing token sequence forward, never back: after a backup was restored, tokens given out since the backup must not
-- be given out again. Locks: deliveries in share row exclusive mode, asked for in rounds; appends, claims and settles wait until
-- this transaction ends. Raises OX012, OX023.
-- Callers: outbox_governor.
create or replace function outbox.advance_lease_tokens(p_beyond bigint, p_reason text) returns bigint
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_next bigint;
begin
    if not coalesce(p_beyond between 1 and 9000000000000000000, false) then
        perform outbox.refuse_argument('token_is_positive', 'p_beyond', 'Give the highest token that may have been handed out; the restored one plus a generous margin will do.');
    end if;
    if not coalesce(length(p_reason) between 1 and 1000, false) then
        perform outbox.refuse_argument('reason_is_given', 'p_reason', 'Say why, in 1 to 1000 characters: it is kept for ever.');
    end if;
    -- Keeps claims out, so that none takes a token in between.
    if not outbox.lock_in_rounds('outbox.deliveries', interval '5 seconds') then
        raise exception using
            errcode = 'OX012',
            constraint = 'cutover_is_exclusive',
            message = 'transactions kept outbox.deliveries locked for 5 seconds',
            detail = 'outbox.deliveries',
            hint = 'Stop dispatchers and producers after a restore, or try again.';
    end if;
    v_next := nextval('outbox.lease_tokens');
    if v_next <= p_beyond then
        v_next := setval('outbox.lease_tokens', p_beyond);
    end if;
    insert into outbox.operator_actions (action, detail, reason, acted_at, acted_by)
    values ('advance_lease_tokens', v_next::text, p_reason, clock_timestamp(), session_user);
    return v_next;
end
$$;
comment on function outbox.advance_lease_tokens(bigint, text) is 'After restoring a backup: makes every later fencing token higher than p_beyond. Never moves back. Answers the highest token now used up.';
