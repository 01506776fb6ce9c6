-- Everything that is wrong with a DeliverySetDefinition@1 by its schema and against the registries of this release; no row when it
-- can be registered. No locks.
-- Callers: outbox_governor, outbox_payload_reader, outbox_reader, outbox.register_delivery_set.
create or replace function contracts.delivery_set_violations(p_definition json) returns setof contracts.violation
language plpgsql
stable
called on null input
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_found contracts.violation[] := array(select v from contracts.validate('DeliverySetDefinition@1', p_definition) as v);
begin
    return query select v.* from unnest(v_found) as v;
    -- A wrong digest alone says nothing against the rest.
    if not exists (select from unnest(v_found) as v where v.rule <> 'digest_matches') then
        return query select v.* from contracts.delivery_set_rule_violations(p_definition::jsonb) as v;
    end if;
end
$$;
comment on function contracts.delivery_set_violations(json) is 'What is wrong with a DeliverySetDefinition@1: JSON Pointer, rule, sentence. No row: it can be registered.';
