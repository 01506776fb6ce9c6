-- Leases that ran out more than five minutes ago and that nobody recovered: no dispatcher runs. Empty in a healthy database.
-- Readers: outbox_reader, outbox_payload_reader.
create or replace view outbox.stuck_leases as
select d.event_id, d.destination, d.generation, d.current_attempt_id, d.lease_owner, d.lease_expires_at, d.attempt_count
from outbox.deliveries as d
where d.status = 'leased' and d.lease_expires_at < statement_timestamp() - interval '5 minutes';
comment on view outbox.stuck_leases is 'Leases that ran out over five minutes ago and were not recovered. Rows here mean that no dispatcher is running.';
