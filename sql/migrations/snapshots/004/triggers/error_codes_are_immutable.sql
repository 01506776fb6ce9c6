-- A registered error code never changes; a release migration may add one.
create or replace trigger error_codes_are_immutable
before update or delete on outbox.error_codes
for each row execute function outbox.refuse_change('error_codes_are_immutable');
alter table outbox.error_codes enable always trigger error_codes_are_immutable;
comment on trigger error_codes_are_immutable on outbox.error_codes is 'A registered error code never changes; a release migration may add one.';

create or replace trigger error_codes_are_immutable_whole
before truncate on outbox.error_codes
for each statement execute function outbox.refuse_change('error_codes_are_immutable');
alter table outbox.error_codes enable always trigger error_codes_are_immutable_whole;
comment on trigger error_codes_are_immutable_whole on outbox.error_codes is 'The same for TRUNCATE.';
