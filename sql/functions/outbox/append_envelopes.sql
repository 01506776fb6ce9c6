-- Appends envelopes: validates, canonicalises, digests, freezes the active delivery set, and writes the events and exactly their
-- mandatory deliveries in one statement. Locks: active_delivery_set in row exclusive mode (cutover). p_numbered: paths start with
-- the item's number. Raises OX001 to OX007, OX023.
-- Callers: outbox.append_event, outbox.append_events.
create or replace function outbox.append_envelopes(p_envelopes json[], p_numbered boolean)
returns setof outbox.appended_event
language plpgsql
volatile
called on null input
parallel unsafe
as $$
declare
    v_settings outbox.settings;
    v_quick_check jsonpath;
    v_set outbox.delivery_set_versions;
    v_events contracts.canonical_envelope[];
    v_now timestamptz;
    v_items outbox.appended_event[];
    v_refused int[];
begin
    select s.* into strict v_settings from outbox.settings as s;
    select s.quick_check into v_quick_check from contracts.schemas as s where s.schema = 'EventEnvelope@1';
    if p_envelopes is null or cardinality(p_envelopes) > v_settings.max_append_events then
        perform outbox.refuse_argument('append_is_bounded', 'p_envelopes', format('Send at most %s envelopes in a call.', v_settings.max_append_events));
    end if;

    -- Before the lock: large envelopes take their time, and an activation must not wait for it.
    v_events := array(
        select e
        from unnest(p_envelopes) with ordinality as i(envelope, place)
        cross join lateral contracts.canonical_envelope(
            i.envelope, v_settings.max_envelope_bytes, v_settings.max_nesting,
            case when p_numbered then '/' || (i.place - 1) else '' end, v_quick_check
        ) as e
        order by i.place
    );
    perform outbox.refuse_payloads(v_events, p_numbered);

    -- Cutover: activation takes a stronger lock, so the pointer read after this lock cannot move before this transaction
    -- ends. A snapshot older than the lock could still show the pointer before; locking the row then fails with 40001.
    lock table outbox.active_delivery_set in row exclusive mode;
    if current_setting('transaction_isolation') = 'read committed' then
        select v.* into v_set
        from outbox.active_delivery_set as a
        join outbox.delivery_set_versions as v on v.delivery_set_version = a.delivery_set_version;
    else
        select v.* into v_set
        from outbox.active_delivery_set as a
        join outbox.delivery_set_versions as v on v.delivery_set_version = a.delivery_set_version
        for share of a;
    end if;
    if v_set.delivery_set_version is null then
        raise exception using
            errcode = 'OX004',
            constraint = 'delivery_set_is_active',
            message = 'no delivery set is active in this database',
            detail = 'outbox.active_delivery_set is empty',
            hint = 'Register and activate a delivery set: outbox delivery-set activate.';
    end if;

    v_now := clock_timestamp();
    with input as materialized (
        select e.*, row_number() over (partition by e.event_id order by e.place) as occurrence
        from unnest(v_events) with ordinality as e(
            event_id, event_type, event_schema_version, aggregate_id, aggregate_revision, tenant_kind, tenant_id, workspace_id,
            project_id, actor_principal_id, correlation_id, causation_id, operation_id, trace_id, occurred_at, event_envelope,
            event_envelope_sha256, place
        )
    ), appended as (
        insert into outbox.events (
            event_id, event_type, event_schema_version, delivery_set_version, delivery_set_definition_schema_version,
            delivery_set_definition_digest_algorithm_version, delivery_set_definition_digest, aggregate_id, aggregate_revision,
            tenant_kind, tenant_id, workspace_id, project_id, actor_principal_id, correlation_id, causation_id, operation_id,
            trace_id, event_envelope, event_envelope_digest_algorithm_version, event_envelope_sha256, occurred_at, created_at
        )
        select
            i.event_id, i.event_type, i.event_schema_version, v_set.delivery_set_version, v_set.delivery_set_definition_schema_version,
            v_set.delivery_set_definition_digest_algorithm_version, v_set.delivery_set_definition_digest, i.aggregate_id,
            i.aggregate_revision, i.tenant_kind, i.tenant_id, i.workspace_id, i.project_id, i.actor_principal_id, i.correlation_id,
            i.causation_id, i.operation_id, i.trace_id, i.event_envelope, 'jcs-sha256-v1', i.event_envelope_sha256, i.occurred_at,
            v_now + i.place * interval '1 microsecond'
        from input as i
        where i.occurrence = 1
        -- One order for all calls, so that two that change the same aggregates wait for each other instead of deadlocking.
        order by i.aggregate_id, i.event_type, i.aggregate_revision, i.event_id
        on conflict do nothing
        returning event_id
    ), frozen as (
        insert into outbox.deliveries (
            event_id, destination, consumer_name, delivery_set_version, expected_receipt_type, expected_receipt_schema_version,
            required_projection_name, required_projection_version, mandatory, available_at, created_at
        )
        select
            i.event_id, m.destination, m.consumer_name, m.delivery_set_version, m.expected_receipt_type,
            m.expected_receipt_schema_version, m.projection_name, m.projection_version, m.mandatory,
            v_now + i.place * interval '1 microsecond', v_now + i.place * interval '1 microsecond'
        from appended as a
        join input as i on i.event_id = a.event_id and i.occurrence = 1
        join outbox.delivery_set_members as m
            on m.delivery_set_version = v_set.delivery_set_version
            and m.event_type = i.event_type
            and m.event_schema_version = i.event_schema_version
            and m.mandatory
        returning event_id
    )
    select
        array_agg(
            row(i.place - 1, i.event_id, i.event_envelope_sha256, v_set.delivery_set_version, coalesce(f.deliveries, 0))::outbox.appended_event
            order by i.place
        ),
        array_agg(i.place order by i.place) filter (where a.event_id is null or i.occurrence > 1)
    into v_items, v_refused
    from input as i
    left join appended as a on a.event_id = i.event_id
    left join (select f.event_id, count(*)::int as deliveries from frozen as f group by f.event_id) as f on f.event_id = i.event_id;

    if v_refused is not null then
        perform outbox.refuse_duplicates(v_events, v_refused, p_numbered);
    end if;
    perform outbox.refuse_inapplicable(v_events[i.item + 1], i.item, v_set.delivery_set_version, p_numbered)
    from unnest(v_items) as i
    where i.delivery_count = 0
    order by i.item
    limit 1;

    -- The next call in this transaction starts later than the last microsecond given out here.
    if clock_timestamp() <= v_now + cardinality(v_items) * interval '1 microsecond' then
        perform pg_sleep(cardinality(v_items) / 1000000.0);
    end if;
    return query select i.* from unnest(v_items) as i;
end
$$;
comment on function outbox.append_envelopes(json[], boolean) is 'Internal: the set-based append.';
