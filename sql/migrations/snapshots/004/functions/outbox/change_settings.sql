-- Changes limits of this database; only the named settings change. Locks: the settings row. Bounds are CHECKs of the table.
-- Raises OX023 with the setting's name, 23514 with the constraint's.
-- Callers: outbox_governor.
create or replace function outbox.change_settings(p_settings json, p_reason text) returns void
language plpgsql
volatile
called on null input
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_new jsonb;
    v_name text;
begin
    if not coalesce(length(p_reason) between 1 and 1000, false) then
        perform outbox.refuse_argument('reason_is_given', 'p_reason', 'Say why, in 1 to 1000 characters: it is kept for ever.');
    end if;
    select r.value into v_new
    from contracts.read_json(p_settings, true) as r
    where r.rule is null and jsonb_typeof(r.value) = 'object';
    if v_new is null then
        perform outbox.refuse_argument('settings_are_object', 'p_settings', 'Send an object of setting names and whole numbers.');
    end if;
    select k.key into v_name
    from jsonb_each(v_new) as k
    where k.key not in ('max_envelope_bytes', 'max_nesting', 'max_append_events', 'max_settle_outcomes', 'max_attempts')
        or not (contracts.is_integer_between(k.value, 1, 2147483647) or (k.key = 'max_attempts' and jsonb_typeof(k.value) = 'null'))
    order by k.key collate "C"
    limit 1;
    if v_name is not null then
        perform outbox.refuse_argument('setting_is_known', 'p_settings/' || contracts.pointer_token(v_name), 'The columns of outbox.settings are the settings; values are whole numbers, max_attempts may be null.');
    end if;
    update outbox.settings as s
    set
        max_envelope_bytes = coalesce((v_new ->> 'max_envelope_bytes')::numeric::int, s.max_envelope_bytes),
        max_nesting = coalesce((v_new ->> 'max_nesting')::numeric::int, s.max_nesting),
        max_append_events = coalesce((v_new ->> 'max_append_events')::numeric::int, s.max_append_events),
        max_settle_outcomes = coalesce((v_new ->> 'max_settle_outcomes')::numeric::int, s.max_settle_outcomes),
        max_attempts = case when v_new ? 'max_attempts' then (v_new ->> 'max_attempts')::numeric::int else s.max_attempts end;
    insert into outbox.operator_actions (action, detail, reason, acted_at, acted_by)
    values ('change_settings', v_new::text, p_reason, clock_timestamp(), session_user);
end
$$;
comment on function outbox.change_settings(json, text) is 'Changes limits of this database: max_envelope_bytes, max_nesting, max_append_events, max_settle_outcomes, max_attempts (null: no exhaustion policy). Recorded with the reason.';
