-- Makes a registered definition the one that new events freeze. Linearizable: an append that began before sees the old set and is
-- waited for; one that begins later sees the new set. Locks: cutover. Raises OX010 definition_is_registered, OX011, OX012, OX013.
-- Callers: outbox_governor.
create or replace function outbox.activate_delivery_set(
    p_delivery_set_version text,
    p_schema_version text,
    p_digest_algorithm_version text,
    p_digest bytea,
    p_wait interval default '5 s'
) returns text
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_set outbox.delivery_set_versions;
    v_active text;
    v_reason text;
begin
    select v.* into v_set from outbox.delivery_set_versions as v where v.delivery_set_version = p_delivery_set_version;
    if v_set.delivery_set_version is null then
        raise exception using
            errcode = 'OX010',
            constraint = 'definition_is_registered',
            message = 'the delivery set version is not registered',
            detail = 'p_delivery_set_version',
            hint = 'Register the definition first: outbox.register_delivery_set.';
    end if;
    if (v_set.delivery_set_definition_schema_version, v_set.delivery_set_definition_digest_algorithm_version, v_set.delivery_set_definition_digest)
        is distinct from (p_schema_version, p_digest_algorithm_version, p_digest)
    then
        raise exception using
            errcode = 'OX011',
            constraint = 'quadruple_matches',
            message = format('delivery set %s is registered with another schema version, algorithm or digest', p_delivery_set_version),
            detail = case
                when p_schema_version is distinct from v_set.delivery_set_definition_schema_version then 'p_schema_version'
                when p_digest_algorithm_version is distinct from v_set.delivery_set_definition_digest_algorithm_version
                    then 'p_digest_algorithm_version'
                else 'p_digest'
            end,
            hint = 'Activate with the whole quadruple of the registered definition.';
    end if;
    -- The lock is what an append of this very transaction would hold.
    if exists (
        select
        from pg_locks as l
        where l.pid = pg_backend_pid()
            and l.locktype = 'relation'
            and l.relation = 'outbox.active_delivery_set'::regclass
            and l.mode = 'RowExclusiveLock'
            and l.granted
    ) then
        raise exception using
            errcode = 'OX013',
            constraint = 'activation_appends_nothing',
            message = 'this transaction has appended events or activated a delivery set already',
            detail = 'outbox.active_delivery_set is locked in row exclusive mode by this session',
            hint = 'Activate in a transaction of its own, or before nothing but a projection switch.';
    end if;
    perform outbox.lock_cutover(p_wait);
    -- Locking the row makes a snapshot older than the last activation fail with 40001.
    select a.delivery_set_version into v_active from outbox.active_delivery_set as a for no key update;
    if v_active = p_delivery_set_version then
        return 'already_active';
    end if;
    select coalesce(
        case when bool_or(x.delivery_set_version = p_delivery_set_version) then 're-activation from ' else 'cutover from ' end || v_active,
        'first activation'
    ) into v_reason
    from outbox.delivery_set_activations as x;
    -- One statement, so that set constraints all immediate does not part the two.
    with activated as (
        insert into outbox.delivery_set_activations (delivery_set_version, activated_at, activated_by, reason)
        values (p_delivery_set_version, clock_timestamp(), session_user, v_reason)
        returning delivery_set_version, activation_id
    )
    insert into outbox.active_delivery_set as a (delivery_set_version, activation_id)
    select x.delivery_set_version, x.activation_id
    from activated as x
    on conflict (singleton) do update
        set delivery_set_version = excluded.delivery_set_version, activation_id = excluded.activation_id;
    insert into outbox.operator_actions (action, delivery_set_version, reason, acted_at, acted_by)
    values ('activate', p_delivery_set_version, v_reason, clock_timestamp(), session_user);
    return 'activated';
end
$$;
comment on function outbox.activate_delivery_set(text, text, text, bytea, interval) is 'Activates a registered definition, named by its whole quadruple, for events appended from now on. Answers activated or already_active. Waits up to p_wait for producers in flight (OX012).';
