-- Whether a text is YYYY-MM-DDThh:mm:ss[.1-9 digits]Z, upper case, and a time that exists. No cast, so nothing can raise.
-- Callers: outbox.verify_events.
create or replace function contracts.is_rfc3339_utc(p_time text) returns boolean
language sql
immutable
strict
parallel safe
as $$
    select case
        when p_time !~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?Z$' then false
        when left(p_time, 4) = '0000' then false
        when substr(p_time, 9, 2) <= '28' then true
        when substr(p_time, 6, 2) <> '02' then substr(p_time, 9, 2) <= '30' or substr(p_time, 6, 2) in ('01', '03', '05', '07', '08', '10', '12')
        else substr(p_time, 9, 2) = '29'
            and left(p_time, 4)::int % 4 = 0 and (left(p_time, 4)::int % 100 <> 0 or left(p_time, 4)::int % 400 = 0)
    end
$$;
comment on function contracts.is_rfc3339_utc(text) is 'Internal: Whether a text is YYYY-MM-DDThh:mm:ss[.1-9 digits]Z, upper case, and a time that exists.';
