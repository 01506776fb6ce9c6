-- Registered definitions against their text and digest, and the active pointer.
-- Callers: outbox.verify.
create or replace function outbox.verify_definitions() returns setof outbox.violation
language sql
stable
called on null input
parallel unsafe
as $$
    select 'definition_matches_rows', 'outbox.delivery_set_versions', null::uuid, null::text, v.delivery_set_version || ': ' || f.fault
    from outbox.delivery_set_versions as v
    cross join lateral outbox.definition_faults(v.delivery_set_version) as f(fault)
    union all
    select 'pointer_names_latest_activation', 'outbox.active_delivery_set', null, null, a.delivery_set_version
    from outbox.active_delivery_set as a
    where not exists (
        select
        from outbox.delivery_set_activations as x
        where x.activation_id = a.activation_id
            and x.delivery_set_version = a.delivery_set_version
            and x.activation_id = (select max(y.activation_id) from outbox.delivery_set_activations as y)
    )
    union all
    select 'active_set_is_kept', 'outbox.active_delivery_set', null, null, 'activations exist, but no pointer'
    where exists (select from outbox.delivery_set_activations) and not exists (select from outbox.active_delivery_set)
$$;
comment on function outbox.verify_definitions() is 'Internal: Registered definitions against their text and digest, and the active pointer.';
