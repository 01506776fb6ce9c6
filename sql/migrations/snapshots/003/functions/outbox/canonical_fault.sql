-- Whether a stored envelope fails to be its own canonical form, and how; null when it is. Never raises, and never quotes the
-- envelope. A subtransaction per row, so for outbox.verify only.
create or replace function outbox.canonical_fault(p_envelope text) returns text
language plpgsql
stable
as $$
begin
    if (contracts.canonical_envelope(p_envelope::json, 16777216, 128, '')).event_envelope <> p_envelope then
        return 'event_envelope is not in canonical form';
    end if;
    return null;
exception when others then
    return 'event_envelope is not an envelope, SQLSTATE ' || sqlstate;
end
$$;
comment on function outbox.canonical_fault(text) is 'Internal: Whether a stored envelope fails to be its own canonical form, and how.';
