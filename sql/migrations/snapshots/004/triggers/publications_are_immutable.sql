-- published_at is set once and never moves or goes.
create or replace trigger publications_are_immutable
before update or delete on outbox.event_publications
for each row execute function outbox.refuse_change('publications_are_immutable');
alter table outbox.event_publications enable always trigger publications_are_immutable;
comment on trigger publications_are_immutable on outbox.event_publications is 'published_at is set once and never moves or goes.';

create or replace trigger publications_are_immutable_whole
before truncate on outbox.event_publications
for each statement execute function outbox.refuse_change('publications_are_immutable');
alter table outbox.event_publications enable always trigger publications_are_immutable_whole;
comment on trigger publications_are_immutable_whole on outbox.event_publications is 'The same for TRUNCATE.';
