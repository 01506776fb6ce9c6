-- What is wrong with a receipt candidate: path and rule, or null. It is judged by the receipt's schema, with the members that the
-- inbox fills in.
-- Callers: inbox.record_receipt.
create or replace function inbox.candidate_fault(
    p_receipt_type text,
    p_prefix text,
    p_time text,
    p_candidate jsonb,
    p_path text,
    p_rule text
) returns text
language sql
stable
called on null input
parallel safe
as $$
    select case
        when p_rule is not null then p_path || ' ' || p_rule
        when jsonb_typeof(p_candidate) is distinct from 'object' then '(whole document) type_is_right'
        when p_time is null then '/' || coalesce(left(p_prefix, 64) || 'SchemaVersion', '') || ' schema_is_registered'
        when p_candidate ? (p_prefix || 'Ref') then '/' || p_prefix || 'Ref member_is_known'
        when p_candidate ? (p_prefix || 'Digest') then '/' || p_prefix || 'Digest member_is_known'
        when p_candidate ? p_time then '/' || p_time || ' member_is_known'
        else (
            select v.path || ' ' || v.rule
            from contracts.schema_violations(
                p_receipt_type || '@' || (p_candidate ->> (p_prefix || 'SchemaVersion')),
                p_candidate || jsonb_build_object(
                    p_prefix || 'Ref', 'candidate', p_prefix || 'Digest', repeat('0', 64), p_time, '2000-01-01T00:00:00Z'
                )
            ) as v
            order by v.path collate "C", v.rule collate "C"
            limit 1
        )
    end
$$;
comment on function inbox.candidate_fault(text, text, text, jsonb, text, text) is 'Internal: What is wrong with a receipt candidate: path and rule, or null.';
