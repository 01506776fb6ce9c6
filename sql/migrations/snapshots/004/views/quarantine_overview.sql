-- Quarantined deliveries with their latest note. Readers: outbox_reader, outbox_payload_reader.
create or replace view outbox.quarantine_overview as
select
    q.event_id, q.destination, q.generation, e.event_type, e.event_schema_version, q.reason, d.last_error_code, d.last_error_ref,
    q.event_envelope_digest_algorithm_version, q.event_envelope_sha256, q.quarantined_at, n.case_id, n.note, n.noted_at, n.noted_by
from outbox.quarantine as q
join outbox.events as e on e.event_id = q.event_id
join outbox.deliveries as d on d.event_id = q.event_id and d.destination = q.destination
left join lateral (
    select x.case_id, x.note, x.noted_at, x.noted_by
    from outbox.quarantine_notes as x
    where x.event_id = q.event_id and x.destination = q.destination and x.generation = q.generation
    order by x.note_id desc
    limit 1
) as n on true;
comment on view outbox.quarantine_overview is 'Quarantined deliveries: why, since when, and the latest note or case.';
