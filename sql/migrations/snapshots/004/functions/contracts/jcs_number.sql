-- ECMAScript Number::toString of the double nearest to a decimal number (RFC 8785 section 3.2.2.3). Raises OX002: number_is_exact
-- when p_exact and the canonical text is another decimal, else number_within_range. float8out prints the shortest text that reads
-- back, but refuses a shorter decimal that lies exactly on a rounding boundary; that happens from 2^53 on (35821213014423850),
-- and those are shortened here.
-- Callers: contracts.jcs_node, contracts.jcs_number_token.
create or replace function contracts.jcs_number(p_number text, p_exact boolean, p_path text, p_member text) returns text
language plpgsql
immutable
called on null input
parallel safe
set extra_float_digits = 1
as $$
declare
    v_double float8;
    v_text text;
    v_sign text := '';
    v_mantissa text;
    v_digits text;
    v_exponent int;
    v_unit numeric;
    v_low numeric;
    v_high numeric;
    v_low_reads boolean;
    v_high_reads boolean;
    v_best numeric;
begin
    -- A text this long may lie beyond the range of a double, where the cast would raise and quote it.
    if length(p_number) > 200 then
        v_text := contracts.jcs_number_token(p_number, p_exact);
        if v_text is null then
            perform contracts.refuse(
                'OX002', case when p_exact then 'number_is_exact' else 'number_within_range' end,
                p_path || coalesce('/' || contracts.pointer_token(p_member), '')
            );
        end if;
        return v_text;
    end if;
    v_double := p_number::float8;
    v_text := v_double::text;
    if v_double = 0 then
        if p_exact and p_number::numeric <> 0 then
            perform contracts.refuse('OX002', 'number_is_exact', p_path || coalesce('/' || contracts.pointer_token(p_member), ''));
        end if;
        return '0';
    end if;
    if position('e' in v_text) = 0 then
        if p_exact and v_text::numeric <> p_number::numeric then
            perform contracts.refuse('OX002', 'number_is_exact', p_path || coalesce('/' || contracts.pointer_token(p_member), ''));
        end if;
        return v_text;
    end if;
    if left(v_text, 1) = '-' then
        v_sign := '-';
        v_text := substr(v_text, 2);
    end if;
    v_mantissa := split_part(v_text, 'e', 1);
    v_exponent := split_part(v_text, 'e', 2)::int;
    v_digits := replace(v_mantissa, '.', '');
    if abs(v_double) >= 9007199254740992 then
        for v_drop in 1..length(v_digits) - 1 loop
            v_unit := power(10::numeric, v_drop);
            v_low := trunc(v_digits::numeric / v_unit) * v_unit;
            v_high := v_low + v_unit;
            v_low_reads := (v_low::text || 'e' || (v_exponent - length(v_digits) + 1))::float8 = abs(v_double);
            v_high_reads := v_high * power(10::numeric, v_exponent - length(v_digits) + 1) < 1.7976931348623159e308
                and (v_high::text || 'e' || (v_exponent - length(v_digits) + 1))::float8 = abs(v_double);
            exit when not v_low_reads and not v_high_reads;
            v_best := case
                when v_high_reads and (not v_low_reads or v_high - v_digits::numeric < v_digits::numeric - v_low) then v_high
                else v_low
            end;
        end loop;
        if v_best is not null then
            v_mantissa := trim_scale(v_best)::text;
            v_exponent := v_exponent + length(v_mantissa) - length(v_digits);
            v_digits := rtrim(v_mantissa, '0');
            v_mantissa := left(v_digits, 1) || case when length(v_digits) > 1 then '.' || substr(v_digits, 2) else '' end;
        end if;
    end if;
    v_text := v_sign || case
        when v_exponent >= 21 or v_exponent < -6 then v_mantissa || case when v_exponent > 0 then 'e+' else 'e-' end || abs(v_exponent)
        when v_exponent < 0 then '0.' || repeat('0', -v_exponent - 1) || v_digits
        when length(v_digits) > v_exponent + 1 then left(v_digits, v_exponent + 1) || '.' || substr(v_digits, v_exponent + 2)
        else rpad(v_digits, v_exponent + 1, '0')
    end;
    -- Judged against the canonical text, so that what is stored is the decimal that was sent.
    if p_exact and v_text::numeric <> p_number::numeric then
        perform contracts.refuse('OX002', 'number_is_exact', p_path || coalesce('/' || contracts.pointer_token(p_member), ''));
    end if;
    return v_text;
end
$$;
comment on function contracts.jcs_number(text, boolean, text, text) is 'Internal: ECMAScript Number::toString of the double nearest to a decimal number (RFC 8785 section 3.2.2.3).';
