-- Whether a JSON value is an event type: an ASCII name, @, a version.
-- Callers: contracts.delivery_set_shape_violations, contracts.envelope_fault, inbox.candidate_fault.
create or replace function contracts.is_event_type(p_value jsonb) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select contracts.is_text_like(p_value, '^[a-z0-9]+([._-][a-z0-9]+)*@[0-9]+([.][0-9]+)*$', 256)
$$;
comment on function contracts.is_event_type(jsonb) is 'Internal: Whether a JSON value is an event type: an ASCII name, @, a version.';
