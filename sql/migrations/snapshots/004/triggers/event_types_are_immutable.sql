-- A registered event type never changes; a release migration may add one.
create or replace trigger event_types_are_immutable
before update or delete on contracts.event_types
for each row execute function outbox.refuse_change('event_types_are_immutable');
alter table contracts.event_types enable always trigger event_types_are_immutable;
comment on trigger event_types_are_immutable on contracts.event_types is 'A registered event type never changes; a release migration may add one.';

create or replace trigger event_types_are_immutable_whole
before truncate on contracts.event_types
for each statement execute function outbox.refuse_change('event_types_are_immutable');
alter table contracts.event_types enable always trigger event_types_are_immutable_whole;
comment on trigger event_types_are_immutable_whole on contracts.event_types is 'The same for TRUNCATE.';
