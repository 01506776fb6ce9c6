-- Whether the newest pause or resume of a destination is a pause.
-- Callers: outbox.claim_deliveries.
create or replace function outbox.is_paused(p_destination text) returns boolean
language sql
stable
called on null input
parallel safe
as $$
    select coalesce((
        select a.action = 'pause'
        from outbox.operator_actions as a
        where a.destination = p_destination and a.action in ('pause', 'resume')
        order by a.action_id desc
        limit 1
    ), false)
$$;
comment on function outbox.is_paused(text) is 'Internal: Whether the newest pause or resume of a destination is a pause.';
