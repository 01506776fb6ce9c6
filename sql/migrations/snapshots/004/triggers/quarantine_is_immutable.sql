-- A quarantine never changes and never goes.
create or replace trigger quarantine_is_immutable
before update or delete on outbox.quarantine
for each row execute function outbox.refuse_change('quarantine_is_immutable');
alter table outbox.quarantine enable always trigger quarantine_is_immutable;
comment on trigger quarantine_is_immutable on outbox.quarantine is 'A quarantine never changes and never goes.';

create or replace trigger quarantine_is_immutable_whole
before truncate on outbox.quarantine
for each statement execute function outbox.refuse_change('quarantine_is_immutable');
alter table outbox.quarantine enable always trigger quarantine_is_immutable_whole;
comment on trigger quarantine_is_immutable_whole on outbox.quarantine is 'The same for TRUNCATE.';
