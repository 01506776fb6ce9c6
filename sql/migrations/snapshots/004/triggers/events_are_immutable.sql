-- An event never changes and never goes: envelope, digest, frozen delivery set and times.
create or replace trigger events_are_immutable
before update or delete on outbox.events
for each row execute function outbox.refuse_change('events_are_immutable');
alter table outbox.events enable always trigger events_are_immutable;
comment on trigger events_are_immutable on outbox.events is 'An event never changes and never goes: envelope, digest, frozen delivery set and times.';

create or replace trigger events_are_immutable_whole
before truncate on outbox.events
for each statement execute function outbox.refuse_change('events_are_immutable');
alter table outbox.events enable always trigger events_are_immutable_whole;
comment on trigger events_are_immutable_whole on outbox.events is 'The same for TRUNCATE.';
