-- The rules a document can break, with the sentence and the remedy that a refusal carries.
-- Callers: contracts.refuse, contracts.rule_message.
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
    ('text_is_nfc', 'a text is not in Unicode normalization form C', 'Normalize names and texts to NFC.'),
    ('nesting_within_limit', 'the document is nested too deeply', 'Flatten the payload, or refer to the deep part by a content address.'),
    ('number_is_exact', 'a number does not survive the round trip through an IEEE 754 double', 'Send money and large or precise numbers as strings.'),
    ('number_within_range', 'a number is beyond the range of an IEEE 754 double', 'Send it as a string.'),
    ('type_is_right', 'a value has the wrong JSON type', 'The schema names the type: outbox contracts show.'),
    ('member_is_known', 'an object has a member that its schema does not know', 'Remove it; domain data of an event belongs into payload. The object is closed: another member needs another schema version.'),
    ('member_is_present', 'an object lacks a required member', 'Add it. The schema names the members: outbox contracts show.'),
    ('quartet_is_complete', 'a content address lacks one of its four members', 'Ref, SchemaVersion, DigestAlgorithmVersion and Digest go together.'),
    ('value_is_expected', 'a value is not the one literal that its schema allows here', 'The schema states the literal; another version or branch has another schema.'),
    ('value_is_listed', 'a value is none of those that its schema lists', 'The schema lists them: outbox contracts show.'),
    ('branch_is_known', 'the discriminator names no branch of the union', 'The schema lists the branches: outbox contracts show.'),
    ('text_matches_pattern', 'a text does not have the form that its schema asks for', 'The schema states the pattern: outbox contracts show.'),
    ('text_length_within_bounds', 'a text is too short or too long', 'The schema states the bounds, in characters: outbox contracts show.'),
    ('decimal_is_canonical', 'a decimal string is not in its canonical form or precision', 'No exponent, no leading or trailing zero, no sign unless the schema allows one.'),
    ('number_within_bounds', 'a number is out of bounds', 'The schema states the bounds: outbox contracts show.'),
    ('array_length_within_bounds', 'an array has too few or too many items', 'The schema states the bounds: outbox contracts show.'),
    ('count_equals_length', 'a count differs from the length of its array', 'Count the items again.'),
    ('array_is_sorted', 'an array is not in the order of its key', 'Sort by the key tuple in UTF-16 code unit order.'),
    ('array_has_no_duplicate', 'an array has the same key twice', 'Name each item once.'),
    ('members_are_equal', 'two members that must be equal differ', 'The schema names the pair: outbox contracts show.'),
    ('digest_matches', 'the digest is not the digest of the document', 'Compute sha256 of the canonical candidate: outbox contracts digest.'),
    ('member_event_is_applicable', 'a member names an event that applicableEvents lacks', 'Add the pair to applicableEvents, or remove the member.'),
    ('event_type_is_registered', 'the event type and schema version are not registered', 'Register the pair in contracts.event_types by a release migration.'),
    ('destination_is_registered', 'the destination is not registered', 'outbox.destinations lists them; a release migration adds one.'),
    ('member_matches_destination', 'a member differs from the registered consumer, receipt or projection rule of its destination', 'Compare it with outbox.destinations.'),
    ('applicable_event_has_mandatory_member', 'an applicable event has no mandatory member and could never be published', 'Add a mandatory member, or remove the pair.')
$$;
comment on function contracts.rules() is 'Internal: The rules a document can break, with the sentence and the remedy that a refusal carries.';
