-- Deliveries with their quarantine. Readers: outbox_reader, outbox_payload_reader.
create or replace view outbox.delivery_overview as
select d.*, q.reason as quarantine_reason, q.quarantined_at
from outbox.deliveries as d
left join outbox.quarantine as q
    on q.event_id = d.event_id and q.destination = d.destination and q.generation = d.generation;
comment on view outbox.delivery_overview is 'Deliveries: frozen member, coordination state, acknowledgement or quarantine.';
