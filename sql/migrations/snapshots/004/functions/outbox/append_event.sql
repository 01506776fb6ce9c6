-- Appends one event, and compares its digest with the one the caller expects. Locks and errors: outbox.append_envelopes; OX003.
-- Callers: outbox_producer.
create or replace function outbox.append_event(
    p_envelope json,
    p_expected_digest_algorithm_version text default null,
    p_expected_sha256 bytea default null
) returns outbox.appended_event
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
    v_event outbox.appended_event;
begin
    select a.* into v_event from outbox.append_envelopes(array[p_envelope], false) as a;
    if (p_expected_digest_algorithm_version is null) <> (p_expected_sha256 is null)
        or p_expected_digest_algorithm_version <> 'jcs-sha256-v1'
        or p_expected_sha256 <> v_event.event_envelope_sha256
    then
        raise exception using
            errcode = 'OX003',
            constraint = 'expected_digest_matches',
            message = 'the envelope does not have the digest that the caller expects',
            detail = case
                when p_expected_sha256 is null or p_expected_digest_algorithm_version is null then 'p_expected_digest_algorithm_version and p_expected_sha256 go together'
                when p_expected_digest_algorithm_version <> 'jcs-sha256-v1' then 'p_expected_digest_algorithm_version'
                else 'p_expected_sha256'
            end,
            hint = 'The digest is sha256 over the RFC 8785 canonical form of the whole envelope, algorithm version jcs-sha256-v1.';
    end if;
    return v_event;
end
$$;
comment on function outbox.append_event(json, text, bytea) is 'Appends one EventEnvelope@1 in the caller''s transaction and freezes its deliveries. A caller may pass the digest it expects, with its algorithm. Raises OX001 to OX007.';
