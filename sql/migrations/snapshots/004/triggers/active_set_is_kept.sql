-- The active pointer moves; it is never taken away.
create or replace trigger active_set_is_kept
before delete on outbox.active_delivery_set
for each row execute function outbox.refuse_change('active_set_is_kept');
alter table outbox.active_delivery_set enable always trigger active_set_is_kept;
comment on trigger active_set_is_kept on outbox.active_delivery_set is 'The active pointer moves; it is never taken away.';

create or replace trigger active_set_is_kept_whole
before truncate on outbox.active_delivery_set
for each statement execute function outbox.refuse_change('active_set_is_kept');
alter table outbox.active_delivery_set enable always trigger active_set_is_kept_whole;
comment on trigger active_set_is_kept_whole on outbox.active_delivery_set is 'The same for TRUNCATE.';
