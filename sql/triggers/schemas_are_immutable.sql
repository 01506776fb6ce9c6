-- A registered schema never changes; a release migration may add one, or compile one again: resolved and quick_check follow from
-- the document, and nobody but the owner writes them.
create or replace trigger schemas_are_immutable
before update of schema, document or delete on contracts.schemas
for each row execute function outbox.refuse_change('schemas_are_immutable');
alter table contracts.schemas enable always trigger schemas_are_immutable;
comment on trigger schemas_are_immutable on contracts.schemas is 'A registered schema never changes; a release migration may add one.';

create or replace trigger schemas_are_immutable_whole
before truncate on contracts.schemas
for each statement execute function outbox.refuse_change('schemas_are_immutable');
alter table contracts.schemas enable always trigger schemas_are_immutable_whole;
comment on trigger schemas_are_immutable_whole on contracts.schemas is 'The same for TRUNCATE.';
