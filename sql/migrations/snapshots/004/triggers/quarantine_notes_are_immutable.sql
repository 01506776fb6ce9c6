-- Notes are appended, never changed.
create or replace trigger quarantine_notes_are_immutable
before update or delete on outbox.quarantine_notes
for each row execute function outbox.refuse_change('quarantine_notes_are_immutable');
alter table outbox.quarantine_notes enable always trigger quarantine_notes_are_immutable;
comment on trigger quarantine_notes_are_immutable on outbox.quarantine_notes is 'Notes are appended, never changed.';

create or replace trigger quarantine_notes_are_immutable_whole
before truncate on outbox.quarantine_notes
for each statement execute function outbox.refuse_change('quarantine_notes_are_immutable');
alter table outbox.quarantine_notes enable always trigger quarantine_notes_are_immutable_whole;
comment on trigger quarantine_notes_are_immutable_whole on outbox.quarantine_notes is 'The same for TRUNCATE.';
