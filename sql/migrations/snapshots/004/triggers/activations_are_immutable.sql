-- The history of activations is append-only.
create or replace trigger activations_are_immutable
before update or delete on outbox.delivery_set_activations
for each row execute function outbox.refuse_change('activations_are_immutable');
alter table outbox.delivery_set_activations enable always trigger activations_are_immutable;
comment on trigger activations_are_immutable on outbox.delivery_set_activations is 'The history of activations is append-only.';

create or replace trigger activations_are_immutable_whole
before truncate on outbox.delivery_set_activations
for each statement execute function outbox.refuse_change('activations_are_immutable');
alter table outbox.delivery_set_activations enable always trigger activations_are_immutable_whole;
comment on trigger activations_are_immutable_whole on outbox.delivery_set_activations is 'The same for TRUNCATE.';
