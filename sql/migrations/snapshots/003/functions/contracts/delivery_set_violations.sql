-- Everything that is wrong with a DeliverySetDefinition@1, against the registries of this release; no row when it is fine. Later
-- checks run only once the shape is right. No locks.
-- Callers: outbox_governor, outbox_payload_reader, outbox_reader, outbox.register_delivery_set.
create or replace function contracts.delivery_set_violations(p_definition json) returns setof contracts.violation
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
    v_read record;
    v_doc jsonb;
begin
    if octet_length(coalesce(p_definition, 'null')::text) > 4194304 then
        return next ('', 'raw_size_within_limit', 'a definition has at most 4 MiB')::contracts.violation;
        return;
    end if;
    v_read := contracts.read_json(coalesce(p_definition, 'null'), true);
    if v_read.rule is not null then
        return next (v_read.path, v_read.rule, (select r.message from contracts.rules() as r where r.rule = v_read.rule))::contracts.violation;
        return;
    end if;
    v_doc := v_read.value;
    if jsonb_typeof(v_doc) <> 'object' then
        return next ('', 'definition_is_object', 'the definition is not a JSON object')::contracts.violation;
        return;
    end if;
    return query select v.* from contracts.delivery_set_shape_violations(v_doc) as v;
    if found then
        return;
    end if;
    return query select v.* from contracts.delivery_set_order_violations(v_doc) as v;
    if found then
        return;
    end if;
    return query select v.* from contracts.delivery_set_rule_violations(v_doc) as v;
    if found then
        return;
    end if;
    if encode(sha256(convert_to(contracts.jcs_node(v_doc - 'deliverySetDefinitionDigest', '', 64, true, v_read.astral), 'UTF8')), 'hex')
        <> v_doc ->> 'deliverySetDefinitionDigest'
    then
        return next (
            '/deliverySetDefinitionDigest', 'definition_digest_matches',
            'the definition digest is not the digest of the definition'
        )::contracts.violation;
    end if;
end
$$;
comment on function contracts.delivery_set_violations(json) is 'What is wrong with a DeliverySetDefinition@1: JSON Pointer, rule, sentence. No row: it can be registered.';
