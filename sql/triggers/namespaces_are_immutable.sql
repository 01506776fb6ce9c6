-- A registered namespace never changes; a release migration may add one.
create or replace trigger namespaces_are_immutable
before update or delete on contracts.namespaces
for each row execute function outbox.refuse_change('namespaces_are_immutable');
alter table contracts.namespaces enable always trigger namespaces_are_immutable;
comment on trigger namespaces_are_immutable on contracts.namespaces is 'A registered namespace never changes; a release migration may add one.';

create or replace trigger namespaces_are_immutable_whole
before truncate on contracts.namespaces
for each statement execute function outbox.refuse_change('namespaces_are_immutable');
alter table contracts.namespaces enable always trigger namespaces_are_immutable_whole;
comment on trigger namespaces_are_immutable_whole on contracts.namespaces is 'The same for TRUNCATE.';
