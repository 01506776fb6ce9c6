-- That an attempt began never changes.
create or replace trigger attempt_starts_are_immutable
before update or delete on outbox.delivery_attempt_starts
for each row execute function outbox.refuse_change('attempt_starts_are_immutable');
alter table outbox.delivery_attempt_starts enable always trigger attempt_starts_are_immutable;
comment on trigger attempt_starts_are_immutable on outbox.delivery_attempt_starts is 'That an attempt began never changes.';

create or replace trigger attempt_starts_are_immutable_whole
before truncate on outbox.delivery_attempt_starts
for each statement execute function outbox.refuse_change('attempt_starts_are_immutable');
alter table outbox.delivery_attempt_starts enable always trigger attempt_starts_are_immutable_whole;
comment on trigger attempt_starts_are_immutable_whole on outbox.delivery_attempt_starts is 'The same for TRUNCATE.';
