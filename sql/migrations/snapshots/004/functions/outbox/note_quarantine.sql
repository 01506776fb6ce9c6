-- Adds a note or a case to a quarantined delivery; the delivery itself does not change. Raises OX023.
-- Callers: outbox_operator.
create or replace function outbox.note_quarantine(p_event_id uuid, p_destination text, p_case_id text, p_note text) returns bigint
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_note_id bigint;
begin
    if not exists (
        select from outbox.quarantine as q where q.event_id = p_event_id and q.destination = p_destination and q.generation = 1
    ) then
        perform outbox.refuse_argument('quarantine_exists', 'p_event_id', 'A login with outbox_reader finds the quarantined deliveries in outbox.quarantine_overview.');
    end if;
    if coalesce(length(p_case_id), 0) + coalesce(length(p_note), 0) not between 1 and 4000 then
        perform outbox.refuse_argument('note_says_something', 'p_note', 'Give a case id, a note, or both, up to 4000 characters.');
    end if;
    insert into outbox.quarantine_notes (event_id, destination, case_id, note, noted_at, noted_by)
    values (p_event_id, p_destination, nullif(p_case_id, ''), nullif(p_note, ''), clock_timestamp(), session_user)
    returning note_id into v_note_id;
    return v_note_id;
end
$$;
comment on function outbox.note_quarantine(uuid, text, text, text) is 'Records that a quarantined delivery was seen: a case id, a note, or both. Append-only; the delivery stays quarantined.';
