-- Envelopes, payload included. Readers: outbox_payload_reader only.
create or replace view outbox.event_envelopes as
select e.event_id, e.event_envelope, e.event_envelope_digest_algorithm_version, e.event_envelope_sha256
from outbox.events as e;
comment on view outbox.event_envelopes is 'The canonical envelope of each event, payload included.';
