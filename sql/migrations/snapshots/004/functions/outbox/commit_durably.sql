-- Makes this transaction wait for its WAL, whatever the session asked for: a consumer may be called, or a result forgotten, only
-- after a commit that survives a crash. A stronger setting stays.
-- Callers: inbox.record_receipt, outbox.claim_deliveries, outbox.recover_expired_leases, outbox.settle_attempts.
create or replace function outbox.commit_durably() returns void
language plpgsql
volatile
called on null input
parallel unsafe
as $$
begin
    if current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then
        perform set_config('synchronous_commit', 'on', true);
    end if;
end
$$;
comment on function outbox.commit_durably() is 'Internal: Makes this transaction wait for its WAL, whatever the session asked for: a consumer may be called, or a result forgotten, only after a commit that survives a crash.';
