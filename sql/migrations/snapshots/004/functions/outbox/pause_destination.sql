-- Pauses the claims of a destination. Locks and errors: outbox.set_paused.
-- Callers: outbox_operator.
create or replace function outbox.pause_destination(p_destination text, p_reason text) returns text
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return outbox.set_paused(p_destination, p_reason, 'pause');
end
$$;
comment on function outbox.pause_destination(text, text) is 'Stops claims of a destination until it is resumed; its deliveries wait, calls in flight may finish. Recorded with the reason. Answers paused.';
