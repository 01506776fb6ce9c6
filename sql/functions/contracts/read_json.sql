-- Reads a json text into jsonb without losing what jsonb hides, and says what is wrong with it instead of raising. Always: no
-- U+0000, no lone surrogate, at most 128 levels, no duplicate member, no number beyond a double. With p_profile (the envelope
-- profile) also: texts in NFC, no number that a double changes among those that numeric may not hold (contracts.jcs_node judges
-- the others). rule is null when all is well. The tests look at the whole text at once; only a document that fails one is walked,
-- to find the path. plain: contracts.jcs_plain may write it, as far as its levels are bounded. No locks, raises nothing.
-- Callers: contracts.canonical_envelope, contracts.digest, contracts.jcs, contracts.validate, inbox.read_receipt,
-- inbox.record_receipt, outbox.assert_event_applicable, outbox.change_settings, outbox.read_outcomes, outbox.settle_one.
create or replace function contracts.read_json(
    p_document json,
    p_profile boolean,
    out value jsonb,
    out astral boolean,
    out path text,
    out rule text,
    out plain boolean
)
language plpgsql
immutable
called on null input
parallel safe
as $$
declare
    v_raw text := p_document::text;
    v_text text;
    v_odd_numbers boolean;
    -- Looking for a place in a large document takes too long.
    v_small boolean := octet_length(p_document::text) <= 262144;
begin
    astral := false;
    plain := contracts.is_plain(v_raw);
    if plain then
        value := v_raw::jsonb;
        if contracts.is_deeper(value, 128) then
            value := null;
            path := '';
            rule := 'nesting_within_limit';
            return;
        end if;
    else
        if v_raw ~ E'\\\\u(?:0000|[dD][89a-fA-F])' then
            select f.path, f.rule into path, rule
            from contracts.escape_fault(v_raw, v_small) as f;
            if rule is not null then
                return;
            end if;
        end if;
        -- Deeper than any limit of ours: the recursive functions must not meet it.
        if octet_length(v_raw) - octet_length(replace(replace(v_raw, '[', ''), '{', '')) > 128 and contracts.nests_deeper(v_raw, 128) then
            path := '';
            rule := 'nesting_within_limit';
            return;
        end if;
        -- An exponent of three digits, or a number of 200, needs more than a cast. In the envelope profile contracts.jcs_number
        -- looks after long numbers, as long as numeric can hold them.
        v_odd_numbers := v_raw ~ E'(^|[]:,[ \n\r\t])-?[0-9.]+[eE][+-]?[0-9][0-9][0-9]'
            or ((not p_profile or octet_length(v_raw) > 16000) and v_raw ~ '[0-9.]{200}');
        if v_odd_numbers then
            v_raw := contracts.rewrite_numbers(v_raw, p_profile);
            if v_raw is null then
                rule := case when p_profile then 'number_is_exact' else 'number_within_range' end;
                path := case when v_small then contracts.locate(p_document, rule, null) else '' end;
                return;
            end if;
        end if;
        value := v_raw::jsonb;
    end if;
    v_text := value::text;
    -- Each member that jsonb drops takes a colon with it. An escaped colon would hide that, so it forces the exact count.
    if octet_length(v_raw) - octet_length(replace(v_raw, ':', '')) <> octet_length(v_text) - octet_length(replace(v_text, ':', ''))
        or (not plain and v_raw ~* E'\\\\u003a')
    then
        if contracts.member_count(v_raw) <> contracts.member_count(v_text) then
            -- What was dropped may have been too deep.
            if plain and contracts.nests_deeper(v_raw, 128) then
                rule := 'nesting_within_limit';
                path := '';
                return;
            end if;
            rule := 'no_duplicate_key';
            path := case when v_small then contracts.locate(v_raw::json, rule, null) else '' end;
            return;
        end if;
    end if;
    if octet_length(v_text) <> length(v_text) then
        astral := not plain and v_text ~ E'[\U00010000-\U0010ffff]';
        if p_profile and not contracts.is_nfc(v_text) then
            rule := 'text_is_nfc';
            path := case when v_small then contracts.locate(v_raw::json, rule, null) else '' end;
        end if;
    end if;
end
$$;
comment on function contracts.read_json(json, boolean) is 'Internal: Reads a json text into jsonb without losing what jsonb hides, and says what is wrong with it instead of raising.';
