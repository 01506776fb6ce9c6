-- Whether an acknowledgement is, field by field, the one that a delivery froze.
-- Callers: outbox.judge_outcomes, outbox.settled_results.
create or replace function outbox.same_ack(p_ack jsonb, p_delivery outbox.deliveries) returns boolean
language sql
stable
called on null input
parallel safe
as $$
    select case when p_delivery.status = 'acknowledged' then p_ack = jsonb_build_object(
        'destination', p_delivery.destination,
        'consumerName', p_delivery.ack_consumer_name,
        'eventId', p_delivery.event_id,
        'eventEnvelopeDigestAlgorithmVersion', p_delivery.ack_event_envelope_digest_algorithm_version,
        'eventEnvelopeSha256', encode(p_delivery.ack_event_envelope_sha256, 'hex'),
        'appliedReceipt', jsonb_build_object(
            'kind', (select t.ack_kind from outbox.destinations as t where t.destination = p_delivery.destination),
            n.prefix || 'Ref', p_delivery.ack_receipt_ref,
            n.prefix || 'SchemaVersion', p_delivery.ack_receipt_schema_version,
            n.prefix || 'DigestAlgorithmVersion', p_delivery.ack_receipt_digest_algorithm_version,
            n.prefix || 'Digest', encode(p_delivery.ack_receipt_digest, 'hex')
        )
    ) else false end
    from (select contracts.receipt_prefix(p_delivery.ack_receipt_type) as prefix) as n
$$;
comment on function outbox.same_ack(jsonb, outbox.deliveries) is 'Internal: Whether an acknowledgement is, field by field, the one that a delivery froze.';
