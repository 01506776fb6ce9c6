-- A delivery is inserted pending, with no attempt behind it. Not enabled always, so that a logical replica can copy rows.
create or replace trigger delivery_begins_pending
before insert on outbox.deliveries
for each row
when (new.status <> 'pending' or new.attempt_count <> 0 or num_nonnulls(new.last_error_code, new.last_error_ref) > 0)
execute function outbox.refuse_transition('delivery_begins_pending');
comment on trigger delivery_begins_pending on outbox.deliveries is 'A delivery begins pending, with no attempt behind it.';
