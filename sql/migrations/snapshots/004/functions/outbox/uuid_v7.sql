-- A version 7 UUID (RFC 9562): 48 bits of Unix milliseconds, then randomness. Time-ordered keys keep index inserts local.
-- Callers: inbox.record_receipt, outbox.claim_deliveries, outbox.new_event_id.
create or replace function outbox.uuid_v7() returns uuid
language sql
volatile
called on null input
parallel safe
as $$
    select encode(
        set_bit(set_bit(
            overlay(
                uuid_send(gen_random_uuid())
                placing substr(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint), 3) from 1 for 6
            ), 52, 1), 53, 1),
        'hex'
    )::uuid
$$;
comment on function outbox.uuid_v7() is 'Internal: A version 7 UUID (RFC 9562): 48 bits of Unix milliseconds, then randomness.';
