package contracts_test

import (
	"strings"
	"testing"
)

// Who reads a stored envelope has to take it as it is: its text was judged when it was appended, perhaps by another version of
// Unicode.
func TestNormalizationIsJudgedWhereATextIsTakenIn(t *testing.T) {
	r := registry(t)
	envelope := strings.ReplaceAll(`{"aggregateId":"é","aggregateRevision":1,"correlationId":"c","envelopeSchemaVersion":"1","eventId":"01234567-89ab-4def-8123-456789abcdef",
		"eventSchemaVersion":"2.0","eventType":"run.created@2.0","occurredAt":"2026-11-30T12:00:00Z","operationId":"o","payload":{},"tenantId":"t",
		"tenantKind":"organization","workspaceId":"w"}`, "é", "e\u0301")
	violations, err := r.Validate("EventEnvelope@1", []byte(envelope))
	if err != nil || len(violations) != 1 || violations[0].Rule != "text_is_nfc" || violations[0].Path != "/aggregateId" {
		t.Errorf("taken in: %+v, %v", violations, err)
	}
	parsed, err := r.ParseEnvelope([]byte(envelope))
	if err != nil || parsed.AggregateID != "e\u0301" {
		t.Errorf("read: %+v, %v", parsed, err)
	}
	if _, err := r.ParseEnvelope([]byte(strings.Replace(envelope, `"tenantId":"t",`, "", 1))); err == nil {
		t.Error("what is wrong besides was read too")
	}
}
