-- Reads the items of a settle or renew call. Shapes are judged before any cast, so that one bad item cannot abort the others;
-- result is invalid and detail says which member, or both are null. Raises OX022, OX023 for the call as a whole.
-- Callers: outbox.renew_leases, outbox.settle_attempts.
create or replace function outbox.read_outcomes(p_items json, p_renewal boolean) returns outbox.outcome_item[]
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_max int;
    v_items outbox.outcome_item[];
begin
    if coalesce(json_typeof(p_items), 'null') <> 'array' then
        raise exception using
            errcode = 'OX022',
            constraint = 'outcomes_are_array',
            message = 'the items are not a JSON array',
            detail = '(whole document)',
            hint = 'Send an array of outcome items.';
    end if;
    select s.max_settle_outcomes into strict v_max from outbox.settings as s;
    if json_array_length(p_items) > v_max then
        perform outbox.refuse_argument('settle_is_bounded', case when p_renewal then 'p_leases' else 'p_outcomes' end, format('Send at most %s items in a call.', v_max));
    end if;

    select array_agg(
        case
            when f.fault is null then row(
                i.place - 1,
                (r.value ->> 'eventId')::uuid,
                r.value ->> 'destination',
                (r.value ->> 'attemptId')::uuid,
                (r.value ->> 'leaseToken')::numeric::bigint,
                r.value ->> 'outcome',
                r.value ->> 'errorCode',
                r.value ->> 'errorRef',
                (r.value ->> 'delayMs')::double precision * interval '1 millisecond',
                r.value ->> 'reason',
                r.value -> 'ack',
                r.value -> 'receipt',
                r.astral,
                null, null, null
            )::outbox.outcome_item
            else row(
                i.place - 1, null, null, null, null, null, null, null, null, null, null, null, null, null, 'invalid', 'outcome_shape: ' || f.fault
            )::outbox.outcome_item
        end
        order by i.place
    ) into v_items
    from json_array_elements(p_items) with ordinality as i(item, place)
    cross join lateral contracts.read_json(i.item, false) as r
    cross join lateral (
        select case
            when r.rule is not null then r.path || ' ' || r.rule
            when jsonb_typeof(r.value) <> 'object' then 'not an object'
            when not contracts.is_uuid(r.value -> 'eventId') then '/eventId'
            when not contracts.is_name(r.value -> 'destination') then '/destination'
            when not contracts.is_uuid(r.value -> 'attemptId') then '/attemptId'
            when not contracts.is_integer_between(r.value -> 'leaseToken', 1, 9223372036854775807) then '/leaseToken'
            when p_renewal then
                case when r.value - '{eventId,destination,attemptId,leaseToken}'::text[] <> '{}' then 'unknown member' end
            when r.value - case r.value ->> 'outcome'
                when 'acknowledged' then '{eventId,destination,attemptId,leaseToken,outcome,ack,receipt}'::text[]
                when 'retryable' then '{eventId,destination,attemptId,leaseToken,outcome,errorCode,errorRef,delayMs}'
                when 'non_retryable' then '{eventId,destination,attemptId,leaseToken,outcome,errorCode,errorRef,reason}'
                else '{}'
            end <> '{}' then
                case
                    when r.value ->> 'outcome' in ('acknowledged', 'retryable', 'non_retryable') then 'unknown member'
                    else '/outcome'
                end
            when r.value ->> 'outcome' = 'acknowledged' then
                case
                    when not coalesce(jsonb_typeof(r.value -> 'ack') = 'object', false) then '/ack'
                    when not coalesce(jsonb_typeof(r.value -> 'receipt') = 'object', false) then '/receipt'
                end
            when not contracts.is_identifier(r.value -> 'errorCode') then '/errorCode'
            when r.value ? 'errorRef' and not contracts.is_text_like(r.value -> 'errorRef', '^[ -~]*$', 200) then '/errorRef'
            when r.value ->> 'outcome' = 'retryable' then
                case when not contracts.is_integer_between(r.value -> 'delayMs', 0, 2592000000) then '/delayMs' end
            when not contracts.is_text_like(r.value -> 'reason', '^[ -~]+$', 200) then '/reason'
        end as fault
    ) as f;
    return coalesce(v_items, '{}');
end
$$;
comment on function outbox.read_outcomes(json, boolean) is 'Internal: Reads the items of a settle or renew call.';
