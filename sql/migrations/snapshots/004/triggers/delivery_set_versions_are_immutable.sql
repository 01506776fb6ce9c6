-- A registered definition never changes and never goes.
create or replace trigger delivery_set_versions_are_immutable
before update or delete on outbox.delivery_set_versions
for each row execute function outbox.refuse_change('delivery_set_versions_are_immutable');
alter table outbox.delivery_set_versions enable always trigger delivery_set_versions_are_immutable;
comment on trigger delivery_set_versions_are_immutable on outbox.delivery_set_versions is 'A registered definition never changes and never goes.';

create or replace trigger delivery_set_versions_are_immutable_whole
before truncate on outbox.delivery_set_versions
for each statement execute function outbox.refuse_change('delivery_set_versions_are_immutable');
alter table outbox.delivery_set_versions enable always trigger delivery_set_versions_are_immutable_whole;
comment on trigger delivery_set_versions_are_immutable_whole on outbox.delivery_set_versions is 'The same for TRUNCATE.';
