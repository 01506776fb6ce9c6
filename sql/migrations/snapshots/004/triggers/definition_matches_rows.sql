-- A registered definition is whole from the start and is never extended: text, digest, quadruple, applicable events and members say
-- the same at the end of every statement that inserts into one of the three tables. Not enabled always, so that a logical replica
-- can copy rows in any order. No locks.
create or replace function outbox.check_definition_matches_rows() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    v_version text;
    v_fault text;
begin
    select x.delivery_set_version, f.fault into v_version, v_fault
    from (select distinct a.delivery_set_version from added as a) as x
    cross join lateral outbox.definition_faults(x.delivery_set_version) as f(fault)
    limit 1;
    if found then
        raise exception using
            errcode = 'OX010',
            constraint = 'definition_matches_rows',
            message = 'a registered definition and its rows do not say the same',
            detail = format('delivery set %s: %s', v_version, v_fault),
            hint = 'Definitions are registered whole, by outbox.register_delivery_set only.';
    end if;
    return null;
end
$$;
comment on function outbox.check_definition_matches_rows() is 'Trigger: a registered definition and its rows say the same.';

create or replace trigger definition_matches_rows
after insert on outbox.delivery_set_versions
referencing new table as added
for each statement execute function outbox.check_definition_matches_rows();
comment on trigger definition_matches_rows on outbox.delivery_set_versions is 'A registered definition and its rows say the same.';

create or replace trigger definition_matches_rows
after insert on outbox.delivery_set_applicable_events
referencing new table as added
for each statement execute function outbox.check_definition_matches_rows();
comment on trigger definition_matches_rows on outbox.delivery_set_applicable_events is 'A registered definition and its rows say the same.';

create or replace trigger definition_matches_rows
after insert on outbox.delivery_set_members
referencing new table as added
for each statement execute function outbox.check_definition_matches_rows();
comment on trigger definition_matches_rows on outbox.delivery_set_members is 'A registered definition and its rows say the same.';
