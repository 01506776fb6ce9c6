-- The first receipt for an event stays, unchanged, for life.
create or replace trigger receipts_are_immutable
before update or delete on inbox.receipts
for each row execute function outbox.refuse_change('receipts_are_immutable');
alter table inbox.receipts enable always trigger receipts_are_immutable;
comment on trigger receipts_are_immutable on inbox.receipts is 'The first receipt for an event stays, unchanged, for life.';

create or replace trigger receipts_are_immutable_whole
before truncate on inbox.receipts
for each statement execute function outbox.refuse_change('receipts_are_immutable');
alter table inbox.receipts enable always trigger receipts_are_immutable_whole;
comment on trigger receipts_are_immutable_whole on inbox.receipts is 'The same for TRUNCATE.';
