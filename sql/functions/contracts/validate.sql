-- Everything that is wrong with a document by a registered schema; no row when it is valid. In stages, each run only when the one
-- before found nothing: size, reading, schema, canonical form, digest. No locks. Raises OX023 schema_is_registered.
-- Callers: every role, contracts.delivery_set_violations, contracts.derive, outbox.refuse_payloads.
create or replace function contracts.validate(p_schema text, p_document json) returns setof contracts.violation
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
    v_document json := coalesce(p_document, 'null');
    v_read record;
    v_rule text;
    v_path text;
begin
    if octet_length(v_document::text) > 4194304 then
        return next ('', 'raw_size_within_limit', contracts.rule_message('raw_size_within_limit'))::contracts.violation;
        return;
    end if;
    v_read := contracts.read_json(v_document, true);
    if v_read.rule is not null then
        return next (v_read.path, v_read.rule, contracts.rule_message(v_read.rule))::contracts.violation;
        return;
    end if;
    return query
    select v.path, v.rule, min(v.detail collate "C")
    from contracts.schema_violations(p_schema, v_read.value) as v
    group by v.path, v.rule
    order by v.path collate "C", v.rule collate "C";
    if found then
        return;
    end if;
    select f.path, f.rule into v_path, v_rule from contracts.form_fault(v_read.value, 64, octet_length(v_document::text) <= 262144) as f;
    if v_rule is not null then
        return next (v_path, v_rule, contracts.rule_message(v_rule))::contracts.violation;
        return;
    end if;
    v_path := v_digest ->> 'member';
    if v_path is not null then
        if v_read.value ->> v_path <> encode(contracts.digest(p_schema, v_document), 'hex') then
            return next ('/' || v_path, 'digest_matches', contracts.rule_message('digest_matches'))::contracts.violation;
        end if;
    end if;
end
$$;
comment on function contracts.validate(text, json) is 'What is wrong with a document by a schema of contracts.schemas: JSON Pointer, rule, sentence. No row: it is valid.';
