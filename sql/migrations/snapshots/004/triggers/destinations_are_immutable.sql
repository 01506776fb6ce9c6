-- A registered destination never changes; a release migration may add one.
create or replace trigger destinations_are_immutable
before update or delete on outbox.destinations
for each row execute function outbox.refuse_change('destinations_are_immutable');
alter table outbox.destinations enable always trigger destinations_are_immutable;
comment on trigger destinations_are_immutable on outbox.destinations is 'A registered destination never changes; a release migration may add one.';

create or replace trigger destinations_are_immutable_whole
before truncate on outbox.destinations
for each statement execute function outbox.refuse_change('destinations_are_immutable');
alter table outbox.destinations enable always trigger destinations_are_immutable_whole;
comment on trigger destinations_are_immutable_whole on outbox.destinations is 'The same for TRUNCATE.';
