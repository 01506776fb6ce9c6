-- Raises OX023 argument_invalid under the name of the rule that the argument broke. Called by the entry points.
create or replace function outbox.refuse_argument(p_rule text, p_argument text, p_hint text) returns void
language plpgsql
immutable
as $$
begin
    raise exception using
        errcode = 'OX023',
        constraint = p_rule,
        message = format('argument %s is not acceptable', p_argument),
        detail = p_argument,
        hint = p_hint;
end
$$;
comment on function outbox.refuse_argument(text, text, text) is 'Internal: Raises OX023 argument_invalid under the name of the rule that the argument broke.';
