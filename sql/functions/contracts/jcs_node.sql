-- Canonical text (RFC 8785) of one jsonb value and everything below it, once contracts.read_json has found nothing in it that
-- jsonb hides. Run it under plan_cache_mode = force_generic_plan: p_astral would otherwise be folded into a new plan at every
-- call. No locks. Raises OX001 nesting_within_limit, OX002 number_is_exact. p_exact: refuse numbers that change in a double.
-- p_astral: the document holds characters beyond U+FFFF, so that names sort by UTF-16 code unit instead of by code point.
-- Callers: contracts.canonical_envelope, contracts.digest, contracts.jcs, inbox.record_receipt, outbox.ack_fault.
create or replace function contracts.jcs_node(
    p_value jsonb,
    p_path text,
    p_levels int,
    p_exact boolean,
    p_astral boolean
) returns text
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_text text;
begin
    if jsonb_typeof(p_value) = 'object' then
        if p_levels < 1 then
            perform contracts.refuse('OX001', 'nesting_within_limit', p_path);
        end if;
        return (
            select '{' || coalesce(string_agg(to_json(m.key)::text || ':' ||
                case jsonb_typeof(m.value)
                    when 'string' then m.value::text
                    when 'number' then
                        case
                            when scale(m.value::numeric) = 0 and abs(m.value::numeric) <= 9007199254740991 then m.value::text
                            else contracts.jcs_number(m.value::text, p_exact, p_path, m.key)
                        end
                    when 'object' then
                        case
                            when m.value = '{}' and p_levels > 1 then '{}'
                            else contracts.jcs_node(m.value, p_path || '/' || contracts.pointer_token(m.key), p_levels - 1, p_exact, p_astral)
                        end
                    when 'array' then contracts.jcs_node(m.value, p_path || '/' || contracts.pointer_token(m.key), p_levels - 1, p_exact, p_astral)
                    else m.value::text
                end, ','), '') || '}'
            from (
                select e.key, e.value
                from jsonb_each(p_value) as e
                order by case when p_astral then contracts.utf16_key(e.key) else e.key end collate "C"
            ) as m
        );
    elsif jsonb_typeof(p_value) = 'array' then
        if p_levels < 1 then
            perform contracts.refuse('OX001', 'nesting_within_limit', p_path);
        end if;
        -- Arrays of small integers, nested or not: only the spaces differ.
        if jsonb_typeof(p_value -> 0) in ('number', 'array') and jsonb_typeof(p_value -> -1) in ('number', 'array') then
            v_text := p_value::text;
            if v_text ~ '^[][0-9, -]*$' and v_text !~ '[0-9]{16}'
                and (position('[' in substr(v_text, 2)) = 0 or not contracts.is_deeper(p_value, p_levels))
            then
                return replace(v_text, ' ', '');
            end if;
        end if;
        return (
            select '[' || coalesce(string_agg(
                case jsonb_typeof(m.value)
                    when 'string' then m.value::text
                    when 'number' then
                        case
                            when scale(m.value::numeric) = 0 and abs(m.value::numeric) <= 9007199254740991 then m.value::text
                            else contracts.jcs_number(m.value::text, p_exact, p_path, (m.ordinality - 1)::text)
                        end
                    when 'object' then
                        case
                            when m.value = '{}' and p_levels > 1 then '{}'
                            else contracts.jcs_node(m.value, p_path || '/' || (m.ordinality - 1), p_levels - 1, p_exact, p_astral)
                        end
                    when 'array' then contracts.jcs_node(m.value, p_path || '/' || (m.ordinality - 1), p_levels - 1, p_exact, p_astral)
                    else m.value::text
                end, ',' order by m.ordinality), '') || ']'
            from jsonb_array_elements(p_value) with ordinality as m(value, ordinality)
        );
    elsif jsonb_typeof(p_value) = 'number' then
        return contracts.jcs_number(p_value::text, p_exact, p_path, null);
    end if;
    return p_value::text;
end
$$;
comment on function contracts.jcs_node(jsonb, text, integer, boolean, boolean) is 'Internal: Canonical text (RFC 8785) of one jsonb value and everything below it.';
