-- The rules a document can break, with the sentence and the remedy that a refusal carries.
-- Callers: contracts.delivery_set_violations, contracts.refuse.
create or replace function contracts.rules() returns table (rule text, message text, remedy text)
language sql
immutable
called on null input
parallel safe
as $$
    values
    ('raw_size_within_limit', 'the document as sent is too large', 'Send it without white space, or refer to large parts by a content address.'),
    ('envelope_size_within_limit', 'the canonical envelope is too large', 'Refer to large parts of the payload by a content address.'),
    ('no_nul_character', 'the text holds the character U+0000', 'Remove it: PostgreSQL text cannot hold it.'),
    ('no_lone_surrogate', 'the text holds a lone or reversed UTF-16 surrogate', 'Escape characters beyond U+FFFF as a high and a low surrogate, or send them as UTF-8.'),
    ('no_duplicate_key', 'an object has the same member twice', 'Send each member once: which one counts is undefined in JSON.'),
    ('text_is_nfc', 'a text is not in Unicode normalization form C', 'Normalize names and texts to NFC before appending.'),
    ('nesting_within_limit', 'the document is nested too deeply', 'Flatten the payload, or refer to the deep part by a content address.'),
    ('number_is_exact', 'a number does not survive the round trip through an IEEE 754 double', 'Send money and large or precise numbers as strings.'),
    ('number_within_range', 'a number is beyond the range of an IEEE 754 double', 'Send it as a string.'),
    ('envelope_is_object', 'the envelope is not a JSON object', 'Send EventEnvelope@1.'),
    ('envelope_is_closed', 'the envelope has a member that EventEnvelope@1 does not know', 'Put domain data into payload.'),
    ('envelope_is_complete', 'the envelope lacks a required member', 'EventEnvelope@1 names the required members.'),
    ('member_is_not_null', 'a member of the envelope is null', 'Leave out an optional member that has no value.'),
    ('member_is_well_formed', 'a member of the envelope has the wrong type or form', 'EventEnvelope@1 states the form of each member.'),
    ('definition_is_object', 'the definition is not a JSON object', 'Send DeliverySetDefinition@1.'),
    ('definition_is_closed', 'the definition has a member that DeliverySetDefinition@1 does not know', 'Remove it, or raise the definition schema version.'),
    ('definition_is_complete', 'the definition lacks a member', 'DeliverySetDefinition@1 names the members.'),
    ('definition_is_well_formed', 'a member of the definition has the wrong type or form', 'DeliverySetDefinition@1 states the form of each member.'),
    ('definition_schema_is_known', 'the definition schema version is unknown', 'This release reads schema version 1.'),
    ('digest_algorithm_is_known', 'the digest algorithm version is unknown', 'This release knows jcs-sha256-v1.'),
    ('count_equals_length', 'a count differs from the length of its array', 'Count the items again.'),
    ('array_is_sorted', 'an array is not in the order of its key', 'Sort by the key tuple in UTF-16 code unit order.'),
    ('array_has_no_duplicate', 'an array has the same key twice', 'Name each item once.'),
    ('member_event_is_applicable', 'a member names an event that applicableEvents lacks', 'Add the pair to applicableEvents, or remove the member.'),
    ('event_type_is_registered', 'the event type and schema version are not registered', 'Register the pair in contracts.event_types by a release migration.'),
    ('destination_is_registered', 'the destination is not registered', 'outbox.destinations lists them; a release migration adds one.'),
    ('destination_has_one_consumer', 'one event and destination is bound to two consumers', 'Bind a destination to its registered consumer only.'),
    ('member_matches_destination', 'a member differs from the registered consumer, receipt or projection rule of its destination', 'Compare it with outbox.destinations.'),
    ('applicable_event_has_mandatory_member', 'an applicable event has no mandatory member and could never be published', 'Add a mandatory member, or remove the pair.'),
    ('definition_digest_matches', 'the definition digest is not the digest of the definition', 'Compute sha256 of the canonical candidate: outbox delivery-set digest.')
$$;
comment on function contracts.rules() is 'Internal: The rules a document can break, with the sentence and the remedy that a refusal carries.';
