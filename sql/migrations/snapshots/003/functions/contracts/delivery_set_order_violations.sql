-- Counts, order and uniqueness of the arrays of a well-formed DeliverySetDefinition@1. Names are ASCII, so "C" order is UTF-16
-- order.
-- Callers: contracts.delivery_set_violations.
create or replace function contracts.delivery_set_order_violations(p_definition jsonb) returns setof contracts.violation
language sql
stable
called on null input
parallel safe
as $$
    with item as (
        select
            '/applicableEvents/' || (e.place - 1) as path,
            'eventType, eventSchemaVersion' as key_names,
            x.key,
            lag(x.key) over (order by e.place) as previous
        from jsonb_array_elements(p_definition -> 'applicableEvents') with ordinality as e(value, place)
        cross join lateral (select array[e.value ->> 'eventType', e.value ->> 'eventSchemaVersion'] collate "C" as key) as x
        union all
        select
            '/members/' || (m.place - 1),
            'eventType, eventSchemaVersion, destination, consumerName',
            x.key,
            lag(x.key) over (order by m.place)
        from jsonb_array_elements(p_definition -> 'members') with ordinality as m(value, place)
        cross join lateral (
            select array[
                m.value ->> 'eventType', m.value ->> 'eventSchemaVersion', m.value ->> 'destination', m.value ->> 'consumerName'
            ] collate "C" as key
        ) as x
    )
    select '/applicableEventCount', 'count_equals_length', 'applicableEvents has another number of items'
    where (p_definition -> 'applicableEventCount')::int <> jsonb_array_length(p_definition -> 'applicableEvents')
    union all
    select '/memberCount', 'count_equals_length', 'members has another number of items'
    where (p_definition -> 'memberCount')::int <> jsonb_array_length(p_definition -> 'members')
    union all
    select i.path, case when i.key = i.previous then 'array_has_no_duplicate' else 'array_is_sorted' end, 'order is ' || i.key_names
    from item as i
    where i.key <= i.previous
$$;
comment on function contracts.delivery_set_order_violations(jsonb) is 'Internal: Counts, order and uniqueness of the arrays of a DeliverySetDefinition@1.';
