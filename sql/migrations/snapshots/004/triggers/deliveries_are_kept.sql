-- A delivery never goes.
create or replace trigger deliveries_are_kept
before delete on outbox.deliveries
for each row execute function outbox.refuse_change('deliveries_are_kept');
alter table outbox.deliveries enable always trigger deliveries_are_kept;
comment on trigger deliveries_are_kept on outbox.deliveries is 'A delivery never goes.';

create or replace trigger deliveries_are_kept_whole
before truncate on outbox.deliveries
for each statement execute function outbox.refuse_change('deliveries_are_kept');
alter table outbox.deliveries enable always trigger deliveries_are_kept_whole;
comment on trigger deliveries_are_kept_whole on outbox.deliveries is 'The same for TRUNCATE.';
