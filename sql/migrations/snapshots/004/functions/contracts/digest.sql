-- The digest of a document by its schema's digest rule: sha256 of the canonical form without the members that the rule excludes.
-- It does not judge the document. No locks. Raises OX001 and OX002 as contracts.jcs does, OX001 type_is_right, OX023
-- schema_is_registered, schema_has_digest_rule.
-- Callers: every role, contracts.validate.
create or replace function contracts.digest(p_schema text, p_document json) returns bytea
language plpgsql
stable
called on null input
parallel safe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
    v_digest jsonb := contracts.digest_rule(p_schema);
    v_read record;
    v_candidate jsonb;
begin
    if v_digest is null then
        raise exception using
            errcode = 'OX023',
            constraint = 'schema_has_digest_rule',
            message = format('%s has no digest rule', p_schema),
            detail = 'p_schema',
            hint = 'Objects without a digest of their own are covered by the digest of the object that holds them.';
    end if;
    v_read := contracts.read_json(coalesce(p_document, 'null'), false);
    if v_read.rule is not null then
        perform contracts.refuse(case v_read.rule when 'number_within_range' then 'OX002' else 'OX001' end, v_read.rule, v_read.path);
    end if;
    if jsonb_typeof(v_read.value) <> 'object' then
        perform contracts.refuse('OX001', 'type_is_right', '');
    end if;
    v_candidate := contracts.digest_candidate(v_digest, v_read.value);
    return sha256(convert_to(case
        when v_read.plain then contracts.jcs_plain(v_candidate)
        else contracts.jcs_node(v_candidate, '', 128, false, v_read.astral)
    end, 'UTF8'));
end
$$;
comment on function contracts.digest(text, json) is 'The digest of a document by the digest rule of its schema (x-digest): sha256 of the canonical form without the members the rule excludes. 32 bytes.';
