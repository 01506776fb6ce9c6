-- RFC 8785 canonical form of any JSON document. Numbers are IEEE 754 doubles as the RFC says; the envelope profile is stricter.
-- A plain document is written at once and then compared: a member that jsonb drops takes a colon with it. Whatever is not plain,
-- nests too deep or has lost a member goes through contracts.read_json, which says what is wrong.
-- No locks. Raises OX001 (no_nul_character, no_lone_surrogate, no_duplicate_key, nesting_within_limit), OX002
-- number_within_range.
-- Callers: every role, contracts.derive, outbox.canonical_fault, outbox.definition_faults, outbox.register_delivery_set.
create or replace function contracts.jcs(p_document json) returns text
language plpgsql
immutable
strict
parallel safe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
    v_raw text := p_document::text;
    v_value jsonb;
    v_text text;
    v_read record;
begin
    if contracts.is_plain(v_raw) then
        v_value := v_raw::jsonb;
        if not contracts.is_deeper(v_value, 128) then
            v_text := contracts.jcs_plain(v_value);
            -- Nothing grows in canonical form, so with equal lengths nothing was dropped.
            if octet_length(v_text) = octet_length(v_raw)
                or octet_length(v_raw) - octet_length(replace(v_raw, ':', '')) = octet_length(v_text) - octet_length(replace(v_text, ':', ''))
            then
                return v_text;
            end if;
        end if;
    end if;
    v_read := contracts.read_json(p_document, false);
    if v_read.rule is not null then
        perform contracts.refuse(case v_read.rule when 'number_within_range' then 'OX002' else 'OX001' end, v_read.rule, v_read.path);
    end if;
    return contracts.jcs_node(v_read.value, '', 128, false, v_read.astral);
end
$$;
comment on function contracts.jcs(json) is 'RFC 8785 canonical form of any JSON document.';
