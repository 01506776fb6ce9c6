package append_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

var (
	optional = []string{"projectId", "actorPrincipalId", "causationId", "traceId"}
	// identifiers are the members whose form is: 1 to 256 characters, none of them a control character.
	identifiers = append([]string{"aggregateId", "tenantId", "workspaceId", "correlationId", "operationId"}, optional...)
	required    = []string{
		"envelopeSchemaVersion", "eventId", "eventType", "eventSchemaVersion", "aggregateId", "aggregateRevision", "tenantKind", "tenantId",
		"workspaceId", "correlationId", "operationId", "occurredAt", "payload",
	}
)

// ruleOfType is the rule that a value of another JSON type breaks at a member.
func ruleOfType(member string) string {
	switch member {
	case "envelopeSchemaVersion":
		return "value_is_expected"
	case "tenantKind":
		return "value_is_listed"
	}
	return "type_is_right"
}

// ruleOfText is the rule that a text of the wrong form breaks at a member.
func ruleOfText(member, value string) string {
	texts := []string{"eventId", "eventType", "eventSchemaVersion", "occurredAt"}
	longest := map[string]int{"eventType": 256, "eventSchemaVersion": 64}[member]
	switch {
	case longest > 0 && len(value) > longest:
		return "text_length_within_bounds"
	case slices.Contains(texts, member):
		return "text_matches_pattern"
	}
	return ruleOfType(member)
}

func TestValidEnvelopesAreAppended(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	fixture.AppendNew(t, db)
	fixture.AppendNew(t, db, fixture.Full())
	for _, member := range optional {
		fixture.AppendNew(t, db, fixture.With(member, "only this one"))
	}
	tap.RowEq(t, db, tap.Row{6}, "select count(*) from outbox.events")
}

func TestMissingMemberIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for _, member := range required {
		refused(t, db, "OX001", "member_is_present", "/"+member, envelope(fixture.Without(member)))
	}
}

func TestNullMemberIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for _, member := range slices.Concat(required, optional) {
		refused(t, db, "OX001", ruleOfType(member), "/"+member, envelope(fixture.With(member, nil)))
	}
}

func TestMemberOfAnotherTypeIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	right := map[string]string{"payload": "{}", "aggregateRevision": "1"}
	for _, member := range slices.Concat(required, optional) {
		for _, value := range []string{`"` + secret + `"`, "1", "true", "{}", `["` + secret + `"]`} {
			rule := ruleOfType(member)
			if value[0] == '"' {
				rule = ruleOfText(member, value)
			}
			isRight := value == right[member] || (right[member] == "" && value[0] == '"' && slices.Contains(identifiers, member))
			if !isRight {
				refused(t, db, "OX001", rule, "/"+member, envelope(fixture.With(member, json.RawMessage(value))))
			}
		}
	}
}

func TestUnknownMemberIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for name, path := range map[string]string{
		"note": "/note", "EventId": "/EventId", "eventid": "/eventid", "": "/", "a/b~c": "/a~1b~0c", "deliverySetVersion": "/deliverySetVersion",
		"eventEnvelopeSha256": "/eventEnvelopeSha256", "createdAt": "/createdAt",
	} {
		refused(t, db, "OX001", "member_is_known", path, envelope(fixture.With(name, secret)))
		refused(t, db, "OX001", "member_is_known", path, envelope(fixture.With(name, nil)))
	}
}

func TestWhatIsNotAnObjectIsRefused(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t).Conn(t)
	for _, document := range []string{`null`, `1`, `true`, `"` + secret + `"`, `[]`, `[` + envelope() + `]`} {
		refused(t, db, "OX001", "type_is_right", "(whole document)", document)
	}
	tap.Throws(t, db, "OX001", "type_is_right", "select outbox.append_event(null)")
	nothingAppended(t, db)
}

func TestIdentifiersAreBounded(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	for _, member := range identifiers {
		path := "/" + member
		refused(t, db, "OX001", "text_length_within_bounds", path, envelope(fixture.With(member, "")))
		refused(t, db, "OX001", "text_length_within_bounds", path, envelope(fixture.With(member, strings.Repeat("x", 257))))
		refused(t, db, "OX001", "text_length_within_bounds", path, envelope(fixture.With(member, strings.Repeat("😂", 257))))
		accepted(t, d, envelope(fixture.With(member, "x")))
		accepted(t, d, envelope(fixture.With(member, " ")))
		accepted(t, d, envelope(fixture.With(member, strings.Repeat("x", 256))))
		accepted(t, d, envelope(fixture.With(member, strings.Repeat("😂", 256))))
	}
}

func TestControlCharactersInIdentifiersAreRefused(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	for _, member := range identifiers {
		for _, r := range []rune{0x01, '\t', '\n', '\r', 0x1f, 0x7f, 0x80, 0x85, 0x9f} {
			refused(t, db, "OX001", "text_matches_pattern", "/"+member, envelope(fixture.With(member, "a"+string(r)+"b")))
		}
	}
	accepted(t, d, envelope(fixture.With("tenantId", "a b\u00a0\u2028\u200b~")))
}

func TestFormsOfTheOtherMembers(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	const id = "abcdef01-2345-7abc-8def-abcdef012345"
	for member, values := range map[string][]string{
		"envelopeSchemaVersion": {"", "0", "2", "1.0", "01", " 1"},
		"eventId": {
			"", strings.ToUpper(id), strings.ToUpper(id[:8]) + id[8:], id[:24] + "ABCDEF012345", "{" + id + "}", strings.ReplaceAll(id, "-", ""), id + " ", " " + id, id + "\n", "urn:uuid:" + id, id[:35], "g" + id[1:],
		},
		"eventType": {
			"", "run.created", "run.created@", "@2.0", "run.created@2.", "run.created@.2", "run.created@2.0.", "run.created@v2", "Run.created@2.0",
			"run..created@2.0", ".run@2.0", "run.@2.0", "run created@2.0", "run.créated@2.0", "run.created@2.0\n", "run.created@２",
			strings.Repeat("a", 255) + "@1",
		},
		"eventSchemaVersion": {"", "v2.0", "2.", ".0", "2,0", "2.0 ", "-2.0", "2.0\n", "２", strings.Repeat("1", 65)},
		"tenantKind":         {"", "Organization", "organisation", "personal-space", "organization ", "organization\n", "personal_spaces"},
	} {
		for _, value := range values {
			refused(t, db, "OX001", ruleOfText(member, value), "/"+member, envelope(fixture.With(member, value)))
		}
	}
	accepted(t, d, envelope(fixture.With("tenantKind", "personal_space")))
	accepted(t, d, envelope(fixture.ID("00000000-0000-0000-0000-000000000000")))
	accepted(t, d, envelope(fixture.ID("ffffffff-ffff-ffff-ffff-ffffffffffff")))
}

func TestAggregateRevisionIsAPositiveExactInteger(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	for token, rule := range map[string]string{
		"0": "number_within_bounds", "-0": "number_within_bounds", "-1": "number_within_bounds", "1.5": "type_is_right", "0.1": "type_is_right",
		"9007199254740992": "number_within_bounds", "1e16": "number_within_bounds", "1e300": "number_within_bounds",
	} {
		refused(t, db, "OX001", rule, "/aggregateRevision", envelope(fixture.With("aggregateRevision", json.RawMessage(token))))
	}
	for token, form := range map[string]string{
		"1": "1", "1.0": "1", "1e0": "1", "10e-1": "1", "1E2": "100", "9007199254740991": "9007199254740991", "9007199254740991.000": "9007199254740991",
	} {
		stored := accepted(t, d, envelope(fixture.With("aggregateRevision", json.RawMessage(token))))
		tap.Ok(t, strings.Contains(stored, `"aggregateRevision":`+form+`,`), token+" is stored as "+form)
	}
}

func TestOccurredAtIsARealTimeInOneForm(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db := d.Conn(t)
	for _, value := range []string{
		"", "2026-11-30", "2026-11-30T12:00Z", "2026-11-30T12:00:00", "2026-11-30t12:00:00Z", "2026-11-30T12:00:00z", "2026-11-30 12:00:00Z",
		"2026-11-30T12:00:00+00:00", "2026-11-30T12:00:00-00:00", "2026-11-30T12:00:00.Z", "2026-11-30T12:00:00,5Z", "2026-11-30T12:00:00.1234567890Z",
		"2026-11-30T24:00:00Z", "2026-11-30T23:60:00Z", "2026-11-30T23:59:60Z", "2026-11-30T12:00:00Z\n", " 2026-11-30T12:00:00Z",
		"2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-04-31T00:00:00Z", "2026-06-31T00:00:00Z",
		"2026-09-31T00:00:00Z", "2026-11-31T00:00:00Z", "2026-02-29T00:00:00Z", "2024-02-30T00:00:00Z", "1900-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
		"0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "-2026-01-01T00:00:00Z", "26-01-01T00:00:00Z", "infinity", "now", "２０26-11-30T12:00:00Z",
	} {
		refused(t, db, "OX001", "text_matches_pattern", "/occurredAt", envelope(fixture.With("occurredAt", value)))
	}
	for _, value := range []string{
		"2026-11-30T12:00:00Z", "2026-11-30T12:00:00.1Z", "2026-11-30T12:00:00.123456789Z", "2024-02-29T23:59:59.999999999Z", "2000-02-29T00:00:00Z",
		"2026-01-31T00:00:00Z", "2026-12-31T23:59:59Z", "2026-04-30T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z",
	} {
		stored := accepted(t, d, envelope(fixture.With("occurredAt", value)))
		tap.Ok(t, strings.Contains(stored, `"occurredAt":"`+value+`"`), value+" is kept as it was sent")
	}
}
