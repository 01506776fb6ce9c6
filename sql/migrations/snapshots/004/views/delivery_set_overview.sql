-- Registered definitions with their derived status. Readers: outbox_reader, outbox_payload_reader, outbox_governor.
create or replace view outbox.delivery_set_overview as
select
    v.delivery_set_version, v.delivery_set_definition_schema_version, v.delivery_set_definition_digest_algorithm_version,
    v.delivery_set_definition_digest,
    case
        when a.delivery_set_version is not null then 'active'
        when l.activated_at is not null then 'retired'
        else 'registered'
    end as status,
    v.source_release, v.registered_at, v.registered_by, l.activated_at, l.activated_by, v.definition
from outbox.delivery_set_versions as v
left join outbox.active_delivery_set as a on a.delivery_set_version = v.delivery_set_version
left join lateral (
    select x.activated_at, x.activated_by
    from outbox.delivery_set_activations as x
    where x.delivery_set_version = v.delivery_set_version
    order by x.activation_id desc
    limit 1
) as l on true;
comment on view outbox.delivery_set_overview is 'Registered delivery sets: registered, active or retired, with the last activation.';
