-- Records a pause or a resume. The newest row of a destination is its state, so that nothing is read and no snapshot can be too
-- old. Locks: the destination's row, so that the newest row is the newest action. Raises OX023.
-- Callers: outbox.pause_destination, outbox.resume_destination.
create or replace function outbox.set_paused(p_destination text, p_reason text, p_action text) returns text
language plpgsql
volatile
called on null input
parallel unsafe
as $$
begin
    if not exists (select from outbox.destinations as d where d.destination = p_destination) then
        perform outbox.refuse_argument(
            'destination_is_registered', 'p_destination',
            (select 'Registered: ' || string_agg(d.destination, ', ' order by d.destination) || '.' from outbox.destinations as d)
        );
    end if;
    if not coalesce(length(p_reason) between 1 and 1000, false) then
        perform outbox.refuse_argument('reason_is_given', 'p_reason', 'Say why, in 1 to 1000 characters: it is kept for ever.');
    end if;
    perform from outbox.destinations as d where d.destination = p_destination for no key update;
    insert into outbox.operator_actions (action, destination, reason, acted_at, acted_by)
    values (p_action, p_destination, p_reason, clock_timestamp(), session_user);
    return p_action || 'd';
end
$$;
comment on function outbox.set_paused(text, text, text) is 'Internal: Records a pause or a resume.';
