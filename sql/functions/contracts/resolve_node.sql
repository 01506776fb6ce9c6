-- Follows the references of a schema node: the node they end at, and the schema document that its own local references are in.
-- Callers: contracts.node_violations, contracts.union_branch.
create or replace function contracts.resolve_node(inout document jsonb, inout node jsonb)
language plpgsql
stable
called on null input
parallel safe
as $$
declare
    v_reference text;
    v_definition text;
begin
    loop
        v_reference := node ->> '$ref';
        exit when v_reference is null;
        if left(v_reference, 1) <> '#' then
            select s.document into strict document
            from contracts.schemas as s
            where s.schema = substr(split_part(v_reference, '#', 1), length('urn:oceanway:contracts:') + 1);
        end if;
        v_definition := split_part(v_reference, '#/$defs/', 2);
        node := case when v_definition = '' then document else document -> '$defs' -> v_definition end;
    end loop;
end
$$;
comment on function contracts.resolve_node(jsonb, jsonb) is 'Internal: Follows the references of a schema node.';
