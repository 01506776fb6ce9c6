-- The roles of the outbox. Roles belong to the cluster, so this step stands apart from the migrations: run it once per
-- cluster, or again at any time. A superuser or a role with CREATEROLE can run it, for a second database too.
-- Afterwards grant your services the role they need: grant outbox_producer to billing_service;
do $roles$
declare
    v_role text;
begin
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    foreach v_role in array array[
        'outbox_owner', 'outbox_producer', 'outbox_dispatcher', 'outbox_consumer',
        'outbox_governor', 'outbox_operator', 'outbox_reader', 'outbox_payload_reader'
    ] loop
        if not exists (select from pg_catalog.pg_roles as r where r.rolname = v_role) then
            begin
                execute pg_catalog.format('create role %I nologin', v_role);
            exception when duplicate_object or unique_violation then
                null; -- another session was faster
            end;
        end if;
    end loop;
    -- The migrations create everything as outbox_owner. From PostgreSQL 16 on a role's creator holds ADMIN but may not
    -- act as the role until it grants that to itself.
    if not pg_catalog.pg_has_role(current_user, 'outbox_owner', 'usage') then
        if pg_catalog.current_setting('server_version_num')::int >= 160000 then
            execute pg_catalog.format('grant outbox_owner to %I with inherit true, set true', current_user);
        else
            execute pg_catalog.format('grant outbox_owner to %I', current_user);
        end if;
    end if;
    if pg_catalog.current_setting('server_version_num')::int >= 160000
        and not pg_catalog.pg_has_role(current_user, 'outbox_owner', 'set')
    then
        execute pg_catalog.format('grant outbox_owner to %I with inherit true, set true', current_user);
    end if;

    execute 'comment on role outbox_owner is ''Owns every object of the outbox. Nobody logs in as it; migrations act as it.''';
    execute 'comment on role outbox_producer is ''Service authors: appends events inside domain transactions.''';
    execute 'comment on role outbox_dispatcher is ''The dispatcher daemon: claims, renews, settles, recovers.''';
    execute 'comment on role outbox_consumer is ''Consumers: records and reads receipts in the inbox.''';
    execute 'comment on role outbox_governor is ''Release managers: registers and activates delivery sets, changes settings.''';
    execute 'comment on role outbox_operator is ''Operators: pauses and resumes destinations.''';
    execute 'comment on role outbox_reader is ''Reads state without payloads, and runs verify.''';
    execute 'comment on role outbox_payload_reader is ''Reads state and envelopes.''';
exception when insufficient_privilege then
    -- The roles may exist already, made by somebody else: then only membership in outbox_owner matters.
    if pg_catalog.to_regrole('outbox_owner') is null or not pg_catalog.pg_has_role(current_user, 'outbox_owner', 'member') then
        raise exception using
            errcode = '42501',
            message = pg_catalog.format('role %I can neither create the roles of the outbox nor act as outbox_owner', current_user),
            hint = pg_catalog.format(
                'Run this step as a superuser or a role with CREATEROLE, or have whoever made the roles run: grant outbox_owner to %I%s',
                current_user,
                case when pg_catalog.current_setting('server_version_num')::int >= 160000 then ' with inherit true, set true' else '' end
            );
    end if;
end
$roles$;
