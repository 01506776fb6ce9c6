-- Raises OX023 argument_invalid under the name of the rule that the argument broke.
-- Callers: outbox.advance_lease_tokens, outbox.append_envelopes, outbox.change_settings, outbox.claim_deliveries,
-- outbox.lock_cutover, outbox.note_quarantine, outbox.read_outcomes, outbox.recover_expired_leases, outbox.register_delivery_set,
-- outbox.renew_leases, outbox.set_paused.
create or replace function outbox.refuse_argument(p_rule text, p_argument text, p_hint text) returns void
language plpgsql
immutable
called on null input
parallel safe
as $$
begin
    raise exception using
        errcode = 'OX023',
        constraint = p_rule,
        message = format('argument %s is not acceptable', p_argument),
        detail = p_argument,
        hint = p_hint;
end
$$;
comment on function outbox.refuse_argument(text, text, text) is 'Internal: Raises OX023 argument_invalid under the name of the rule that the argument broke.';
