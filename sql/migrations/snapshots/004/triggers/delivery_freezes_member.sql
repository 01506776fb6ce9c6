-- The frozen columns of a delivery never change. The WHEN clause decides, so that a legal update pays for no function call.
create or replace trigger delivery_freezes_member
before update on outbox.deliveries
for each row
when (
    (
        old.event_id, old.destination, old.generation, old.consumer_name, old.delivery_set_version, old.expected_receipt_type,
        old.expected_receipt_schema_version, old.required_projection_name, old.required_projection_version, old.mandatory, old.created_at
    ) is distinct from (
        new.event_id, new.destination, new.generation, new.consumer_name, new.delivery_set_version, new.expected_receipt_type,
        new.expected_receipt_schema_version, new.required_projection_name, new.required_projection_version, new.mandatory, new.created_at
    )
)
execute function outbox.refuse_change('delivery_freezes_member');
alter table outbox.deliveries enable always trigger delivery_freezes_member;
comment on trigger delivery_freezes_member on outbox.deliveries is 'The member that a delivery froze never changes.';
