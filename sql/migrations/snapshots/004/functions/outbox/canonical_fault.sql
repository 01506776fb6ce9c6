-- Whether a stored envelope fails to be its own canonical form, and how; null when it is. Pure RFC 8785: NFC was judged once, at
-- append, and a later Unicode changes nothing. Never raises, never quotes the envelope. A subtransaction per row, so for verify
-- only. No locks.
-- Callers: outbox.verify_events.
create or replace function outbox.canonical_fault(p_envelope text) returns text
language plpgsql
stable
called on null input
parallel unsafe
as $$
begin
    if contracts.jcs(p_envelope::json) <> p_envelope then
        return 'event_envelope is not in canonical form';
    end if;
    return null;
exception when others then
    return 'event_envelope cannot be read, SQLSTATE ' || sqlstate;
end
$$;
comment on function outbox.canonical_fault(text) is 'Internal: Whether a stored envelope fails to be its own canonical form, and how.';
