-- An activation is recorded only together with the move of the pointer: at commit the newest activation is the active one. Deferred,
-- so security definer.
create or replace function outbox.check_activation_moves_pointer() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if not exists (
        select
        from outbox.active_delivery_set as a
        where a.activation_id = (select max(x.activation_id) from outbox.delivery_set_activations as x)
    ) then
        raise exception using
            errcode = 'OX031',
            constraint = 'activation_moves_pointer',
            message = 'an activation was recorded without moving the active pointer',
            detail = format('activation %s', new.activation_id),
            hint = 'Use outbox.activate_delivery_set.';
    end if;
    return null;
end
$$;
comment on function outbox.check_activation_moves_pointer() is 'Deferred trigger: the newest activation is the active one.';

-- A constraint trigger cannot be replaced in place, and dropping it would lock out every reader: a changed one is dropped in
-- retired.sql first.
do $create$
begin
    if not exists (
        select
        from pg_catalog.pg_trigger as t
        where t.tgrelid = 'outbox.delivery_set_activations'::pg_catalog.regclass and t.tgname = 'activation_moves_pointer'
    ) then
        create constraint trigger activation_moves_pointer
        after insert on outbox.delivery_set_activations
        deferrable initially deferred
        for each row execute function outbox.check_activation_moves_pointer();
    end if;
end
$create$;
comment on trigger activation_moves_pointer on outbox.delivery_set_activations is 'The newest activation is the active one.';
