-- An interval as a plain number of seconds, so that bounds mean what they say and no day is 23 or 25 hours long. Null when it
-- holds months, or is infinite or absurd.
-- Callers: outbox.claim_deliveries, outbox.lock_cutover, outbox.recover_expired_leases, outbox.renew_leases.
create or replace function outbox.exact_duration(p_interval interval) returns interval
language sql
immutable
strict
parallel safe
as $$
    select case
        when extract(year from p_interval) = 0 and extract(month from p_interval) = 0
            and extract(epoch from p_interval) between -1000000000 and 1000000000
            then make_interval(secs => extract(epoch from p_interval)::double precision)
    end
$$;
comment on function outbox.exact_duration(interval) is 'Internal: An interval as a plain number of seconds, or null when it holds months or is absurd.';
