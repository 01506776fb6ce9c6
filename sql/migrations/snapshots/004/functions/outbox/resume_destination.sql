-- Resumes the claims of a destination. Locks and errors: outbox.set_paused.
-- Callers: outbox_operator.
create or replace function outbox.resume_destination(p_destination text, p_reason text) returns text
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return outbox.set_paused(p_destination, p_reason, 'resume');
end
$$;
comment on function outbox.resume_destination(text, text) is 'Lets a paused destination be claimed again. Recorded with the reason. Answers resumed.';
