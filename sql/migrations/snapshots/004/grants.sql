-- The only authority on privileges: everything is taken from PUBLIC and from our roles, then given. Nobody but the owner holds
-- INSERT, UPDATE or DELETE on anything. A catalog test holds this file.
alter default privileges for role outbox_owner revoke execute on functions from public;
alter default privileges for role outbox_owner revoke usage on types from public;

revoke all on schema contracts, outbox, inbox
from public, outbox_producer, outbox_dispatcher, outbox_consumer, outbox_governor, outbox_operator, outbox_reader, outbox_payload_reader;
revoke all on all tables in schema contracts, outbox, inbox
from public, outbox_producer, outbox_dispatcher, outbox_consumer, outbox_governor, outbox_operator, outbox_reader, outbox_payload_reader;
revoke all on all sequences in schema contracts, outbox, inbox
from public, outbox_producer, outbox_dispatcher, outbox_consumer, outbox_governor, outbox_operator, outbox_reader, outbox_payload_reader;
revoke all on all routines in schema contracts, outbox, inbox
from public, outbox_producer, outbox_dispatcher, outbox_consumer, outbox_governor, outbox_operator, outbox_reader, outbox_payload_reader;
do $revoke$
declare
    v_type text;
begin
    for v_type in
        select pg_catalog.format('%I.%I', n.nspname, t.typname)
        from pg_catalog.pg_type as t
        join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
        where n.nspname in ('contracts', 'outbox', 'inbox') and t.typtype = 'c'
    loop
        execute 'revoke all on type ' || v_type || ' from public, outbox_producer, outbox_dispatcher, outbox_consumer, '
            || 'outbox_governor, outbox_operator, outbox_reader, outbox_payload_reader';
    end loop;
end
$revoke$;

-- Everybody: names and pure helpers.
grant usage on schema contracts, outbox to
    outbox_producer, outbox_dispatcher, outbox_consumer, outbox_governor, outbox_operator, outbox_reader, outbox_payload_reader;
grant execute on function
    contracts.jcs(json),
    contracts.validate(text, json),
    contracts.digest(text, json),
    contracts.derive_id(text, json),
    contracts.derive_key(text, json),
    outbox.rfc3339(timestamptz)
to
    outbox_producer, outbox_dispatcher, outbox_consumer, outbox_governor, outbox_operator, outbox_reader, outbox_payload_reader;

grant select on contracts.schemas, contracts.namespaces to
    outbox_producer, outbox_dispatcher, outbox_consumer, outbox_governor, outbox_operator, outbox_reader, outbox_payload_reader;

-- outbox_producer: append functions only.
grant execute on function
    outbox.new_event_id(),
    outbox.append_event(json, text, bytea),
    outbox.append_events(json[]),
    outbox.assert_event_applicable(text, text, json)
to outbox_producer;

-- outbox_dispatcher: claim, renew, settle, recover.
grant execute on function
    outbox.claim_deliveries(text, text, int, interval, outbox.claim_position, bigint),
    outbox.renew_leases(json, interval),
    outbox.settle_attempts(json),
    outbox.acknowledge_delivery(json),
    outbox.retry_delivery(json),
    outbox.quarantine_delivery(json),
    outbox.recover_expired_leases(int, interval)
to outbox_dispatcher;
grant execute on function outbox.read_frozen_member(uuid, text) to outbox_dispatcher, outbox_reader, outbox_payload_reader;

-- outbox_consumer: inbox functions.
grant usage on schema inbox to outbox_consumer;
grant execute on function
    inbox.record_receipt(text, json),
    inbox.read_receipt(text, text, text, text, bytea, json)
to outbox_consumer;

-- outbox_governor: definitions, cutover, settings, what follows a restore.
grant execute on function
    outbox.register_delivery_set(json, text),
    outbox.activate_delivery_set(text, text, text, bytea, interval),
    outbox.lock_cutover(interval),
    outbox.change_settings(json, text),
    outbox.advance_lease_tokens(bigint, text)
to outbox_governor;
grant select on sequence outbox.lease_tokens to outbox_governor;

-- outbox_operator: pause, resume, and notes on quarantined deliveries.
grant execute on function
    outbox.pause_destination(text, text),
    outbox.resume_destination(text, text),
    outbox.note_quarantine(uuid, text, text, text)
to outbox_operator;

-- outbox_reader: state without payload. outbox_payload_reader: the envelope too.
grant execute on function
    contracts.delivery_set_violations(json),
    outbox.verify(timestamptz, timestamptz, boolean)
to outbox_reader, outbox_payload_reader;
grant execute on function contracts.delivery_set_violations(json) to outbox_governor;
grant select on
    outbox.event_overview, outbox.delivery_overview, outbox.attempt_overview, outbox.quarantine_overview, outbox.backlog,
    outbox.stuck_leases, outbox.event_publications, outbox.quarantine_notes, outbox.operator_actions
to outbox_reader, outbox_payload_reader;
grant select on
    contracts.event_types, outbox.destinations, outbox.error_codes, outbox.settings, outbox.delivery_set_versions,
    outbox.delivery_set_applicable_events, outbox.delivery_set_members, outbox.delivery_set_activations, outbox.active_delivery_set,
    outbox.delivery_set_overview, outbox.errors, outbox.invariants
to outbox_reader, outbox_payload_reader, outbox_governor;
grant select on outbox.event_envelopes to outbox_payload_reader;

-- The version table belongs to whoever migrated first. The dispatcher and the command line compare the schema's version with their
-- own; whoever may act as outbox_owner may upgrade.
reset role;
do $grant$
begin
    if pg_catalog.pg_has_role(current_user, (
        select c.relowner from pg_catalog.pg_class as c where c.oid = pg_catalog.to_regclass('public.outbox_schema_version')
    ), 'usage') then
        grant update on public.outbox_schema_version to outbox_owner;
        grant select on public.outbox_schema_version to
            outbox_owner, outbox_producer, outbox_dispatcher, outbox_consumer,
            outbox_governor, outbox_operator, outbox_reader, outbox_payload_reader;
    end if;
end
$grant$;
