-- Raises OX021 ack_invalid or OX022 outcome_invalid under the name of the broken invariant.
-- Callers: outbox.settle_one.
create or replace function outbox.refuse_outcome(p_sqlstate text, p_invariant text, p_path text) returns void
language plpgsql
immutable
called on null input
parallel safe
as $$
begin
    raise exception using
        errcode = p_sqlstate,
        constraint = p_invariant,
        message = case p_sqlstate
            when 'OX021' then 'the acknowledgement does not satisfy this delivery'
            else 'the outcome item is not well-formed'
        end,
        detail = p_path,
        hint = case p_sqlstate
            when 'OX021' then 'The lease stays: settle the attempt as retryable; a redelivery returns the first receipt.'
            else 'Send a closed outcome item of the kind this function takes.'
        end;
end
$$;
comment on function outbox.refuse_outcome(text, text, text) is 'Internal: Raises OX021 ack_invalid or OX022 outcome_invalid under the name of the broken invariant.';
