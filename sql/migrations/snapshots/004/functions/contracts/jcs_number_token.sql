-- A JSON number token of any length and exponent in canonical form, without a cast that could raise (22003) or round. Null:
-- beyond the range of a double, or, when p_exact, changed by the double.
-- Callers: contracts.has_inexact_number, contracts.jcs_number, contracts.rewrite_numbers.
create or replace function contracts.jcs_number_token(p_token text, p_exact boolean) returns text
language plpgsql
immutable
strict
parallel safe
set extra_float_digits = 1
as $$
declare
    v_sign text := case when left(p_token, 1) = '-' then '-' else '' end;
    v_mantissa text := split_part(lower(ltrim(p_token, '-')), 'e', 1);
    v_power text := split_part(lower(p_token), 'e', 2);
    v_integer text := split_part(v_mantissa, '.', 1);
    v_digits text := replace(v_mantissa, '.', '');
    v_leading int;
    v_exponent int;
    v_scaled numeric;
    v_double float8;
    v_text text;
begin
    v_leading := length(v_digits) - length(ltrim(v_digits, '0'));
    v_digits := rtrim(ltrim(v_digits, '0'), '0');
    if v_digits = '' then
        return '0';
    end if;
    -- Seven digits of exponent outweigh any mantissa that fits into a document.
    v_power := case when left(v_power, 1) = '-' then '-' else '' end || ltrim(ltrim(v_power, '+-'), '0');
    if length(ltrim(v_power, '-')) > 9 then
        v_exponent := case when left(v_power, 1) = '-' then -1000000000 else 1000000000 end;
    else
        v_exponent := case when v_power in ('', '-') then 0 else v_power::int end;
    end if;
    -- The exponent of the first significant digit.
    v_exponent := v_exponent + length(v_integer) - 1 - v_leading;
    if v_exponent > 308 then
        return null;
    end if;
    if v_exponent < -324 then
        return case when p_exact then null else '0' end;
    end if;
    -- 800 significant digits decide every rounding; the rest can only break a tie, which a last digit keeps.
    if length(v_digits) > 800 then
        v_digits := left(v_digits, 800) || '1';
    end if;
    v_scaled := (left(v_digits, 1) || '.' || substr(v_digits, 2) || '0e' || v_exponent)::numeric;
    -- Halfway between the largest double and the next power of two; half of the smallest double.
    if v_scaled >= 2::numeric ^ 1024 - 2::numeric ^ 970 then
        return null;
    end if;
    if v_exponent < -320 and v_scaled * 2::numeric ^ 1074 * 2 <= 1 then
        return case when p_exact then null else '0' end;
    end if;
    v_double := (v_sign || left(v_digits, 1) || '.' || substr(v_digits, 2) || '0e' || v_exponent)::float8;
    v_text := contracts.jcs_number(v_double::text, false, '', null);
    if p_exact and abs(v_text::numeric) <> v_scaled then
        return null;
    end if;
    return v_text;
end
$$;
comment on function contracts.jcs_number_token(text, boolean) is 'Internal: A JSON number token of any length and exponent in canonical form, without a cast that could raise (22003) or round.';
