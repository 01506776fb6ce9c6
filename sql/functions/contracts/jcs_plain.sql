-- Canonical text (RFC 8785) of one value of a document that contracts.is_plain, and of everything below it. Judges nothing: whoever
-- calls has bounded the nesting. The same text as that of contracts.jcs_node, with less to start for each object: names need no
-- escape and sort by code point. Each key is looked up, so the value must not be compressed. No locks, raises nothing.
-- Callers: contracts.canonical_envelope, contracts.digest, contracts.jcs.
create or replace function contracts.jcs_plain(p_value jsonb) returns text
language plpgsql
immutable
strict
parallel safe
as $$
declare
    v_text text;
begin
    if jsonb_typeof(p_value) = 'object' then
        return '{' || array_to_string(array(
            select '"' || m.key || '":' ||
                case jsonb_typeof(m.value)
                    when 'string' then m.value::text
                    when 'number' then trim_scale(m.value::numeric)::text
                    when 'object' then contracts.jcs_plain(m.value)
                    when 'array' then contracts.jcs_plain(m.value)
                    else m.value::text
                end
            from (
                select k.key, p_value -> k.key as value
                from (select jsonb_object_keys(p_value) as key offset 0) as k
                order by k.key collate "C"
                offset 0
            ) as m
        ), ',') || '}';
    elsif jsonb_typeof(p_value) = 'array' then
        -- Arrays of integers, nested or not: only the spaces differ.
        if jsonb_typeof(p_value -> 0) in ('number', 'array') and jsonb_typeof(p_value -> -1) in ('number', 'array') then
            v_text := p_value::text;
            if v_text ~ '^[][0-9, -]*$' then
                return replace(v_text, ' ', '');
            end if;
        end if;
        return '[' || array_to_string(array(
            select
                case jsonb_typeof(m.value)
                    when 'string' then m.value::text
                    when 'number' then trim_scale(m.value::numeric)::text
                    when 'object' then contracts.jcs_plain(m.value)
                    when 'array' then contracts.jcs_plain(m.value)
                    else m.value::text
                end
            from (select jsonb_array_elements(p_value) as value offset 0) as m
        ), ',') || ']';
    end if;
    return p_value::text;
end
$$;
comment on function contracts.jcs_plain(jsonb) is 'Internal: Canonical text (RFC 8785) of one value of a plain document and everything below it.';
