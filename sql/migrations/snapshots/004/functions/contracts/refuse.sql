-- Raises the refusal of a document: SQLSTATE, named invariant, path in DETAIL, remedy in HINT; never a value of the document.
-- Callers: contracts.canonical_envelope, contracts.derive, contracts.digest, contracts.jcs, contracts.jcs_node,
-- contracts.jcs_number, outbox.refuse_payloads, outbox.register_delivery_set.
create or replace function contracts.refuse(p_sqlstate text, p_rule text, p_path text) returns void
language plpgsql
immutable
called on null input
parallel safe
as $$
begin
    raise exception using
        errcode = p_sqlstate,
        constraint = p_rule,
        message = coalesce((
            select r.message
            from contracts.rules() as r
            where r.rule = p_rule
        ), p_rule),
        detail = case when p_path = '' then '(whole document)' else p_path end,
        hint = coalesce((
            select r.remedy
            from contracts.rules() as r
            where r.rule = p_rule
        ), 'See the table of invariants in ARCHITECTURE.md.');
end
$$;
comment on function contracts.refuse(text, text, text) is 'Internal: Raises the refusal of a document.';
