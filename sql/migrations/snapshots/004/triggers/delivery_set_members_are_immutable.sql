-- The members of a registered definition never change.
create or replace trigger delivery_set_members_are_immutable
before update or delete on outbox.delivery_set_members
for each row execute function outbox.refuse_change('delivery_set_members_are_immutable');
alter table outbox.delivery_set_members enable always trigger delivery_set_members_are_immutable;
comment on trigger delivery_set_members_are_immutable on outbox.delivery_set_members is 'The members of a registered definition never change.';

create or replace trigger delivery_set_members_are_immutable_whole
before truncate on outbox.delivery_set_members
for each statement execute function outbox.refuse_change('delivery_set_members_are_immutable');
alter table outbox.delivery_set_members enable always trigger delivery_set_members_are_immutable_whole;
comment on trigger delivery_set_members_are_immutable_whole on outbox.delivery_set_members is 'The same for TRUNCATE.';
