-- How many attempts of a delivery failed, those given back unsent not counted.
-- Callers: outbox.judge_outcomes.
create or replace function outbox.failed_attempts(p_event_id uuid, p_destination text) returns bigint
language sql
stable
called on null input
parallel safe
as $$
    select count(*)
    from outbox.delivery_attempt_starts as s
    join outbox.delivery_attempt_finishes as f on f.attempt_id = s.attempt_id
    where s.event_id = p_event_id
        and s.destination = p_destination
        and f.outcome in ('retryable', 'lease_expired_unknown')
        and f.normalized_error_code <> 'released_unsent'
$$;
comment on function outbox.failed_attempts(uuid, text) is 'Internal: How many attempts of a delivery failed, those given back unsent not counted.';
