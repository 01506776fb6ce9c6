-- Makes this transaction wait for its WAL, whatever the session asked for: a consumer may be called, or a result forgotten,
-- only after a commit that survives a crash. A stronger setting stays. Called by
-- outbox.claim_deliveries, outbox.settle_attempts, outbox.recover_expired_leases and inbox.record_receipt.
create or replace function outbox.commit_durably() returns void
language plpgsql
volatile
as $$
begin
    if current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then
        perform set_config('synchronous_commit', 'on', true);
    end if;
end
$$;
comment on function outbox.commit_durably() is 'Internal: Makes this transaction wait for its WAL, whatever the session asked for: a consumer may be called, or a result forgotten, only after a commit that survives a crash.';
