-- Raises OX030: the row, table or column is a fact and never changes. Shared by the *_are_immutable triggers, one file each;
-- the trigger's argument names the invariant. Fires for everybody, superusers included.
create or replace function outbox.refuse_change() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception using
        errcode = 'OX030',
        constraint = tg_argv[0],
        message = format('%s on %s.%s is refused: facts never change', tg_op, tg_table_schema, tg_table_name),
        detail = format('%s.%s', tg_table_schema, tg_table_name),
        hint = 'Append a new fact through the functions of the schema instead.';
end
$$;
comment on function outbox.refuse_change() is 'Trigger: raises OX030 under the invariant named by its argument.';
