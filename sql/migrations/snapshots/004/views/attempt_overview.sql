-- Attempts: start and, if there is one, finish. Readers: outbox_reader, outbox_payload_reader.
create or replace view outbox.attempt_overview as
select
    s.attempt_id, s.event_id, s.destination, s.generation, s.lease_token, s.worker, s.started_at, f.finished_at, f.outcome,
    f.retry_disposition, f.normalized_error_code, f.sanitized_error_ref
from outbox.delivery_attempt_starts as s
left join outbox.delivery_attempt_finishes as f on f.attempt_id = s.attempt_id;
comment on view outbox.attempt_overview is 'Attempts with their finish; outcome is null while the attempt is open.';
