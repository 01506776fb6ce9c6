-- Whether a member name, or a value with all that is in it, breaks a rule of contracts.read_json.
-- Callers: contracts.locate.
create or replace function contracts.breaks_rule(p_name text, p_value json, p_rule text, p_marker text) returns boolean
language sql
immutable
called on null input
parallel safe
as $$
    select case p_rule
        when 'no_duplicate_key' then
            json_typeof(p_value) in ('object', 'array')
            and contracts.member_count(p_value::text) <> contracts.member_count(p_value::jsonb::text)
        when 'text_is_nfc' then p_name is not nfc normalized or not contracts.is_nfc(p_value::jsonb::text)
        when 'number_is_exact' then contracts.rewrite_numbers(p_value::text, true) is null
        when 'number_within_range' then contracts.rewrite_numbers(p_value::text, false) is null
        else position(p_marker in p_name) > 0 or position(p_marker in p_value::text) > 0
    end
$$;
comment on function contracts.breaks_rule(text, json, text, text) is 'Internal: Whether a member name or value breaks a rule of contracts.read_json.';
