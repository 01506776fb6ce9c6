-- A delivery is inserted only if it is, field by field, a mandatory member of the definition its event froze: no extra row, no other
-- consumer, receipt or projection. Once per statement; not enabled always, so that a logical replica can copy rows in any order.
create or replace function outbox.check_delivery_is_frozen_member() returns trigger
language plpgsql
volatile
called on null input
parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_row record;
begin
    select d.event_id, d.destination into v_row
    from added as d
    left join outbox.events as e on e.event_id = d.event_id
    left join outbox.delivery_set_members as m
        on m.delivery_set_version = e.delivery_set_version
        and m.event_type = e.event_type
        and m.event_schema_version = e.event_schema_version
        and m.destination = d.destination
    where (
        d.delivery_set_version, d.consumer_name, d.mandatory, d.expected_receipt_type, d.expected_receipt_schema_version,
        d.required_projection_name, d.required_projection_version, d.created_at
    ) is distinct from (
        m.delivery_set_version, m.consumer_name, m.mandatory, m.expected_receipt_type, m.expected_receipt_schema_version,
        m.projection_name, m.projection_version, e.created_at
    )
    limit 1;
    if found then
        raise exception using
            errcode = 'OX040',
            constraint = 'delivery_is_frozen_member',
            message = 'a delivery is not a mandatory member of the definition that its event froze',
            detail = format('delivery %s/%s', v_row.event_id, v_row.destination),
            hint = 'Deliveries are created by outbox.append_event and outbox.append_events only.';
    end if;
    return null;
end
$$;
comment on function outbox.check_delivery_is_frozen_member() is 'Trigger: a delivery is exactly a mandatory member of its event''s frozen definition.';

create or replace trigger delivery_is_frozen_member
after insert on outbox.deliveries
referencing new table as added
for each statement execute function outbox.check_delivery_is_frozen_member();
comment on trigger delivery_is_frozen_member on outbox.deliveries is 'A delivery is exactly a mandatory member of its event''s frozen definition.';
