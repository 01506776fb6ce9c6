-- The applicable events of a registered definition never change.
create or replace trigger applicable_events_are_immutable
before update or delete on outbox.delivery_set_applicable_events
for each row execute function outbox.refuse_change('applicable_events_are_immutable');
alter table outbox.delivery_set_applicable_events enable always trigger applicable_events_are_immutable;
comment on trigger applicable_events_are_immutable on outbox.delivery_set_applicable_events is 'The applicable events of a registered definition never change.';

create or replace trigger applicable_events_are_immutable_whole
before truncate on outbox.delivery_set_applicable_events
for each statement execute function outbox.refuse_change('applicable_events_are_immutable');
alter table outbox.delivery_set_applicable_events enable always trigger applicable_events_are_immutable_whole;
comment on trigger applicable_events_are_immutable_whole on outbox.delivery_set_applicable_events is 'The same for TRUNCATE.';
