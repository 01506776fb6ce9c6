-- Whether every text of a jsonb value's text form is in NFC. The whole is judged at once, quotes compose with nothing; if that
-- fails, once more without the letters of escapes, which a combining character behind them would change.
-- Callers: contracts.breaks_rule, contracts.read_json, outbox.ack_fault.
create or replace function contracts.is_nfc(p_text text) returns boolean
language sql
immutable
strict
parallel safe
as $$
    select case
        when p_text is nfc normalized then true
        else regexp_replace(p_text, E'\\\\(u[0-9a-f]{4}|.)', ' ', 'g') is nfc normalized
    end
$$;
comment on function contracts.is_nfc(text) is 'Internal: Whether every text of a jsonb value is in NFC.';
