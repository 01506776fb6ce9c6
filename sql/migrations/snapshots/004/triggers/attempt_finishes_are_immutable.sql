-- How an attempt ended never changes.
create or replace trigger attempt_finishes_are_immutable
before update or delete on outbox.delivery_attempt_finishes
for each row execute function outbox.refuse_change('attempt_finishes_are_immutable');
alter table outbox.delivery_attempt_finishes enable always trigger attempt_finishes_are_immutable;
comment on trigger attempt_finishes_are_immutable on outbox.delivery_attempt_finishes is 'How an attempt ended never changes.';

create or replace trigger attempt_finishes_are_immutable_whole
before truncate on outbox.delivery_attempt_finishes
for each statement execute function outbox.refuse_change('attempt_finishes_are_immutable');
alter table outbox.delivery_attempt_finishes enable always trigger attempt_finishes_are_immutable_whole;
comment on trigger attempt_finishes_are_immutable_whole on outbox.delivery_attempt_finishes is 'The same for TRUNCATE.';
