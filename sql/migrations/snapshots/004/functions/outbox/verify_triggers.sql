-- The triggers that enforce invariants: there, enabled (O), and always enabled (A) where replication must not pass them by. It
-- finds the traces of DDL that nothing can refuse, and of restores that lose a trigger's state.
-- Callers: outbox.verify.
create or replace function outbox.verify_triggers() returns setof outbox.violation
language sql
stable
called on null input
parallel safe
as $$
    select 'triggers_are_enabled', x.relation, null::uuid, null::text,
        'trigger ' || x.trigger || case
            when t.oid is null then ' is missing'
            when t.tgenabled in ('D', 'R') then ' is disabled'
            else ' is not enabled always'
        end
    from (
        values
        ('outbox.delivery_set_activations', 'activation_moves_pointer', 'O'),
        ('outbox.delivery_set_activations', 'activations_are_immutable', 'A'),
        ('outbox.delivery_set_activations', 'activations_are_immutable_whole', 'A'),
        ('outbox.active_delivery_set', 'active_set_is_kept', 'A'),
        ('outbox.active_delivery_set', 'active_set_is_kept_whole', 'A'),
        ('outbox.delivery_set_applicable_events', 'applicable_events_are_immutable', 'A'),
        ('outbox.delivery_set_applicable_events', 'applicable_events_are_immutable_whole', 'A'),
        ('outbox.delivery_attempt_finishes', 'attempt_finish_ends_lease', 'O'),
        ('outbox.delivery_attempt_finishes', 'attempt_finishes_are_immutable', 'A'),
        ('outbox.delivery_attempt_finishes', 'attempt_finishes_are_immutable_whole', 'A'),
        ('outbox.delivery_attempt_starts', 'attempt_start_is_current', 'O'),
        ('outbox.delivery_attempt_starts', 'attempt_starts_are_immutable', 'A'),
        ('outbox.delivery_attempt_starts', 'attempt_starts_are_immutable_whole', 'A'),
        ('outbox.delivery_set_versions', 'definition_matches_rows', 'O'),
        ('outbox.delivery_set_applicable_events', 'definition_matches_rows', 'O'),
        ('outbox.delivery_set_members', 'definition_matches_rows', 'O'),
        ('outbox.deliveries', 'deliveries_are_kept', 'A'),
        ('outbox.deliveries', 'deliveries_are_kept_whole', 'A'),
        ('outbox.deliveries', 'delivery_agrees_with_attempts', 'A'),
        ('outbox.deliveries', 'delivery_begins_pending', 'O'),
        ('outbox.deliveries', 'delivery_freezes_member', 'A'),
        ('outbox.deliveries', 'delivery_is_frozen_member', 'O'),
        ('outbox.deliveries', 'delivery_moves_legally', 'A'),
        ('outbox.events', 'delivery_set_is_complete', 'O'),
        ('outbox.delivery_set_members', 'delivery_set_members_are_immutable', 'A'),
        ('outbox.delivery_set_members', 'delivery_set_members_are_immutable_whole', 'A'),
        ('outbox.delivery_set_versions', 'delivery_set_versions_are_immutable', 'A'),
        ('outbox.delivery_set_versions', 'delivery_set_versions_are_immutable_whole', 'A'),
        ('outbox.destinations', 'destinations_are_immutable', 'A'),
        ('outbox.destinations', 'destinations_are_immutable_whole', 'A'),
        ('outbox.error_codes', 'error_codes_are_immutable', 'A'),
        ('outbox.error_codes', 'error_codes_are_immutable_whole', 'A'),
        ('outbox.deliveries', 'event_is_published_when_complete', 'A'),
        ('contracts.event_types', 'event_types_are_immutable', 'A'),
        ('contracts.event_types', 'event_types_are_immutable_whole', 'A'),
        ('outbox.events', 'events_are_immutable', 'A'),
        ('outbox.events', 'events_are_immutable_whole', 'A'),
        ('contracts.namespaces', 'namespaces_are_immutable', 'A'),
        ('contracts.namespaces', 'namespaces_are_immutable_whole', 'A'),
        ('outbox.operator_actions', 'operator_actions_are_immutable', 'A'),
        ('outbox.operator_actions', 'operator_actions_are_immutable_whole', 'A'),
        ('outbox.active_delivery_set', 'pointer_names_latest_activation', 'O'),
        ('outbox.event_publications', 'publication_is_complete', 'O'),
        ('outbox.event_publications', 'publications_are_immutable', 'A'),
        ('outbox.event_publications', 'publications_are_immutable_whole', 'A'),
        ('outbox.quarantine', 'quarantine_is_immutable', 'A'),
        ('outbox.quarantine', 'quarantine_is_immutable_whole', 'A'),
        ('outbox.quarantine', 'quarantine_matches_delivery', 'O'),
        ('outbox.quarantine_notes', 'quarantine_notes_are_immutable', 'A'),
        ('outbox.quarantine_notes', 'quarantine_notes_are_immutable_whole', 'A'),
        ('inbox.receipts', 'receipts_are_immutable', 'A'),
        ('inbox.receipts', 'receipts_are_immutable_whole', 'A'),
        ('contracts.schemas', 'schemas_are_immutable', 'A'),
        ('contracts.schemas', 'schemas_are_immutable_whole', 'A'),
        ('outbox.settings', 'settings_are_kept', 'A'),
        ('outbox.settings', 'settings_are_kept_whole', 'A')
    ) as x(relation, trigger, enabled)
    left join pg_trigger as t on t.tgrelid = to_regclass(x.relation) and t.tgname = x.trigger and not t.tgisinternal
    where t.oid is null or t.tgenabled in ('D', 'R') or (x.enabled = 'A' and t.tgenabled <> 'A')
$$;
comment on function outbox.verify_triggers() is 'Internal: The triggers that enforce invariants are there and enabled.';
