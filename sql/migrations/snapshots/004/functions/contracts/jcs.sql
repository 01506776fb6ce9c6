-- RFC 8785 canonical form of any JSON document. Numbers are IEEE 754 doubles as the RFC says; the envelope profile is stricter.
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
    v_read record;
begin
    v_read := contracts.read_json(p_document, false);
    if v_read.rule is not null then
        perform contracts.refuse(case v_read.rule when 'number_within_range' then 'OX002' else 'OX001' end, v_read.rule, v_read.path);
    end if;
    return contracts.jcs_node(v_read.value, '', 128, false, v_read.astral);
end
$$;
comment on function contracts.jcs(json) is 'RFC 8785 canonical form of any JSON document.';
