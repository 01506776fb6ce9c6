-- The member that holds a receipt's own time: the one that its digest leaves out beside its ref and its digest. Null when the schema
-- is not registered.
-- Callers: inbox.record_receipt.
create or replace function contracts.receipt_time_member(p_receipt_schema text) returns text
language sql
stable
strict
parallel safe
as $$
    select e.member
    from contracts.schemas as s
    cross join lateral jsonb_array_elements_text(s.digest_rule -> 'excludes') as e(member)
    where s.schema = p_receipt_schema
        and e.member not in (s.digest_rule ->> 'member', contracts.receipt_prefix(split_part(p_receipt_schema, '@', 1)) || 'Ref')
$$;
comment on function contracts.receipt_time_member(text) is 'Internal: The member that holds a receipt''s own time, which its digest leaves out.';
