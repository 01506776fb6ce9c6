-- One outcome, raising instead of reporting. Raises OX020 stale_fence, OX021 ack_invalid, OX022 outcome_invalid.
-- Callers: outbox.acknowledge_delivery, outbox.quarantine_delivery, outbox.retry_delivery.
create or replace function outbox.settle_one(p_outcome json, p_kind text) returns outbox.settled_attempt
language plpgsql
volatile
called on null input
parallel unsafe
as $$
declare
    v_result outbox.settled_attempt;
    v_kind text;
begin
    select r.value ->> 'outcome' into v_kind
    from contracts.read_json(p_outcome, false) as r
    where r.rule is null and jsonb_typeof(r.value) = 'object';
    if v_kind is distinct from p_kind then
        perform outbox.refuse_outcome('OX022', 'outcome_shape', '/outcome');
    end if;
    select s.* into v_result from outbox.settle_attempts(json_build_array(p_outcome)) as s;
    if v_result.result = 'stale' then
        raise exception using
            errcode = 'OX020',
            constraint = 'attempt_is_current',
            message = 'the attempt is no longer current',
            detail = format('delivery %s/%s: %s', v_result.event_id, v_result.destination, v_result.detail),
            hint = 'Drop the result: recovery or a later claim owns this delivery.';
    elsif v_result.result = 'invalid' then
        perform outbox.refuse_outcome(
            case when v_result.detail like 'outcome_shape:%' then 'OX022' else 'OX021' end,
            split_part(v_result.detail, ': ', 1),
            substr(v_result.detail, length(split_part(v_result.detail, ': ', 1)) + 3)
        );
    end if;
    return v_result;
end
$$;
comment on function outbox.settle_one(json, text) is 'Internal: One outcome, raising instead of reporting.';
