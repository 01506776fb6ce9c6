-- The settings row changes; it is never taken away.
create or replace trigger settings_are_kept
before delete on outbox.settings
for each row execute function outbox.refuse_change('settings_are_kept');
alter table outbox.settings enable always trigger settings_are_kept;
comment on trigger settings_are_kept on outbox.settings is 'The settings row changes; it is never taken away.';

create or replace trigger settings_are_kept_whole
before truncate on outbox.settings
for each statement execute function outbox.refuse_change('settings_are_kept');
alter table outbox.settings enable always trigger settings_are_kept_whole;
comment on trigger settings_are_kept_whole on outbox.settings is 'The same for TRUNCATE.';
