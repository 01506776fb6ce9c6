-- The state machine of a delivery: claim, renewal, recovery, retry, acknowledgement, quarantine; terminal states are final.
-- The WHEN clause decides, so that a legal update pays for no function call. What the attempts must say is the business of
-- delivery_agrees_with_attempts.
create or replace trigger delivery_moves_legally
before update on outbox.deliveries
for each row
when (
    not coalesce(case
        -- claim, of a pending or a recovered delivery
        when new.status = 'leased' and new.current_attempt_id is distinct from old.current_attempt_id then
            (old.status = 'pending' or (old.status = 'leased' and old.lease_expires_at is null))
            and new.attempt_count = old.attempt_count + 1
            and new.lease_expires_at is not null
            and new.lease_token > coalesce(old.lease_token, 0)
            and new.available_at = old.available_at
            and (new.last_error_code, new.last_error_ref) is not distinct from (old.last_error_code, old.last_error_ref)
        -- from here on the delivery must hold a live lease, and no attempt is counted
        when old.status <> 'leased' or old.lease_expires_at is null or new.attempt_count <> old.attempt_count
            or new.last_attempt_at <> old.last_attempt_at then false
        -- renewal
        when new.status = 'leased' and new.lease_expires_at is not null then
            new.lease_token = old.lease_token and new.lease_owner = old.lease_owner and new.available_at = old.available_at
            and new.lease_expires_at >= old.lease_expires_at
            and (new.last_error_code, new.last_error_ref) is not distinct from (old.last_error_code, old.last_error_ref)
        -- recovery
        when new.status = 'leased' then new.lease_token = old.lease_token
        -- retry
        when new.status = 'pending' then true
        -- acknowledgement, quarantine
        else new.current_attempt_id = old.current_attempt_id and new.available_at = old.available_at
            and (
                new.status = 'quarantined'
                or (new.last_error_code, new.last_error_ref) is not distinct from (old.last_error_code, old.last_error_ref)
            )
    end, false)
)
execute function outbox.refuse_transition('delivery_moves_legally');
alter table outbox.deliveries enable always trigger delivery_moves_legally;
comment on trigger delivery_moves_legally on outbox.deliveries is 'A delivery moves only by claim, renewal, recovery, retry, acknowledgement and quarantine; terminal states are final.';
