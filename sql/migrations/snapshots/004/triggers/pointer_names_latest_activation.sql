-- The active pointer names the newest activation and its definition: it cannot be moved without the recorded act. Once per statement;
-- not enabled always, so that a logical replica can copy rows in any order.
create or replace function outbox.check_pointer_names_latest_activation() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    if not exists (
        select
        from outbox.active_delivery_set as a
        join outbox.delivery_set_activations as x
            on x.activation_id = a.activation_id and x.delivery_set_version = a.delivery_set_version
        where x.activation_id = (select max(y.activation_id) from outbox.delivery_set_activations as y)
    ) then
        raise exception using
            errcode = 'OX031',
            constraint = 'pointer_names_latest_activation',
            message = 'the active pointer moved without an activation',
            detail = 'outbox.active_delivery_set',
            hint = 'Use outbox.activate_delivery_set.';
    end if;
    return null;
end
$$;
comment on function outbox.check_pointer_names_latest_activation() is 'Trigger: the active pointer names the newest activation.';

create or replace trigger pointer_names_latest_activation
after insert or update on outbox.active_delivery_set
for each statement execute function outbox.check_pointer_names_latest_activation();
comment on trigger pointer_names_latest_activation on outbox.active_delivery_set is 'The active pointer names the newest activation.';
