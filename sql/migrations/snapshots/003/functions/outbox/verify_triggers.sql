-- The triggers that enforce invariants: there, enabled, and always enabled where replication must not pass them by. It finds the
-- traces of DDL that nothing can refuse, and of restores that lose a trigger's state. Called by outbox.verify.
create or replace function outbox.verify_triggers() returns setof outbox.violation
language sql
stable
as $$
    select 'triggers_are_enabled', coalesce(t.tgrelid::regclass::text, 'pg_trigger'), null::uuid, null::text,
        'trigger ' || i.invariant || case
            when t.oid is null then ' is missing'
            when t.tgenabled in ('D', 'R') then ' is disabled'
            else ' is not enabled always'
        end
    from outbox.invariants as i
    left join pg_trigger as t on t.tgname = i.invariant and not t.tgisinternal
    where i.enforced_by in ('trigger', 'trigger, always')
        and (t.oid is null or t.tgenabled in ('D', 'R') or (i.enforced_by = 'trigger, always' and t.tgenabled <> 'A'))
$$;
comment on function outbox.verify_triggers() is 'Internal: The triggers that enforce invariants are there and enabled.';
