-- Raises OX006 or OX007 for the first refused item of an append. DETAIL of OX006 is identical when every item of the call was
-- appended before with the same digest (a retrying caller may take that as success), else different_digest or, when other items
-- of the call are new, mixed.
-- Callers: outbox.append_envelopes.
create or replace function outbox.refuse_duplicates(p_events contracts.canonical_envelope[], p_refused int[], p_numbered boolean) returns void
language plpgsql
volatile
called on null input
parallel unsafe
as $$
declare
    v_item record;
    v_identical int;
begin
    select count(*) into v_identical
    from unnest(p_refused) as r(place)
    cross join lateral (select p_events[r.place] as event) as e
    join outbox.events as x on x.event_id = (e.event).event_id and x.event_envelope_sha256 = (e.event).event_envelope_sha256;

    select
        r.place, (e.event).event_id, x.event_id is not null as known,
        x.event_envelope_sha256 = (e.event).event_envelope_sha256 as same
    into v_item
    from unnest(p_refused) as r(place)
    cross join lateral (select p_events[r.place] as event) as e
    left join outbox.events as x on x.event_id = (e.event).event_id
    order by coalesce(x.event_envelope_sha256 = (e.event).event_envelope_sha256, false), r.place
    limit 1;

    if not v_item.known then
        raise exception using
            errcode = 'OX007',
            constraint = 'aggregate_revision_is_unique',
            message = 'another event of this type holds this revision of the aggregate',
            detail = case when p_numbered then '/' || (v_item.place - 1) else '' end || '/aggregateRevision',
            hint = 'Read the aggregate again: somebody else has changed it, or the revision was not raised.';
    end if;
    raise exception using
        errcode = 'OX006',
        constraint = 'event_is_appended_once',
        message = format('event %s was appended before', v_item.event_id),
        detail = case
            when not v_item.same then 'different_digest'
            when v_identical = cardinality(p_events) then 'identical'
            else 'mixed'
        end,
        hint = 'identical: every event of this call is already appended with the same digest, which a retry may take as success. Otherwise use a new event id.';
end
$$;
comment on function outbox.refuse_duplicates(contracts.canonical_envelope[], integer[], boolean) is 'Internal: Raises OX006 or OX007 for the first refused item of an append.';
