-- The audit of operator actions is append-only.
create or replace trigger operator_actions_are_immutable
before update or delete on outbox.operator_actions
for each row execute function outbox.refuse_change('operator_actions_are_immutable');
alter table outbox.operator_actions enable always trigger operator_actions_are_immutable;
comment on trigger operator_actions_are_immutable on outbox.operator_actions is 'The audit of operator actions is append-only.';

create or replace trigger operator_actions_are_immutable_whole
before truncate on outbox.operator_actions
for each statement execute function outbox.refuse_change('operator_actions_are_immutable');
alter table outbox.operator_actions enable always trigger operator_actions_are_immutable_whole;
comment on trigger operator_actions_are_immutable_whole on outbox.operator_actions is 'The same for TRUNCATE.';
