package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Envelope is EventEnvelope@1. The members that may be absent are empty then.
type Envelope struct {
	EnvelopeSchemaVersion string          `json:"envelopeSchemaVersion"`
	EventID               string          `json:"eventId"`
	EventType             string          `json:"eventType"`
	EventSchemaVersion    string          `json:"eventSchemaVersion"`
	AggregateID           string          `json:"aggregateId"`
	AggregateRevision     int64           `json:"aggregateRevision"`
	TenantKind            string          `json:"tenantKind"`
	TenantID              string          `json:"tenantId"`
	WorkspaceID           string          `json:"workspaceId"`
	ProjectID             string          `json:"projectId,omitempty"`
	ActorPrincipalID      string          `json:"actorPrincipalId,omitempty"`
	CorrelationID         string          `json:"correlationId"`
	CausationID           string          `json:"causationId,omitempty"`
	OperationID           string          `json:"operationId"`
	TraceID               string          `json:"traceId,omitempty"`
	OccurredAt            string          `json:"occurredAt"`
	Payload               json.RawMessage `json:"payload"`
}

// ParseEnvelope reads an envelope strictly. The payload stays a raw object.
func ParseEnvelope(doc []byte) (Envelope, error) {
	envelope, err := parseEnvelope(doc)
	if err != nil {
		return Envelope{}, fmt.Errorf("envelope: %w", err)
	}
	return envelope, nil
}

func parseEnvelope(doc []byte) (envelope Envelope, err error) {
	members, err := parseObject(doc)
	if err != nil {
		return envelope, err
	}
	required := map[string]*string{
		"envelopeSchemaVersion": &envelope.EnvelopeSchemaVersion,
		"eventId":               &envelope.EventID,
		"eventType":             &envelope.EventType,
		"eventSchemaVersion":    &envelope.EventSchemaVersion,
		"aggregateId":           &envelope.AggregateID,
		"tenantKind":            &envelope.TenantKind,
		"tenantId":              &envelope.TenantID,
		"workspaceId":           &envelope.WorkspaceID,
		"correlationId":         &envelope.CorrelationID,
		"operationId":           &envelope.OperationID,
		"occurredAt":            &envelope.OccurredAt,
	}
	optional := map[string]*string{
		"projectId":        &envelope.ProjectID,
		"actorPrincipalId": &envelope.ActorPrincipalID,
		"causationId":      &envelope.CausationID,
		"traceId":          &envelope.TraceID,
	}
	wanted := append(names(required), "aggregateRevision", "payload")
	if err := members.closed("", wanted, names(optional)); err != nil {
		return envelope, err
	}
	maps.Copy(required, optional)
	if err := members.texts("", required); err != nil {
		return envelope, err
	}
	if envelope.AggregateRevision, err = members.integer("", "aggregateRevision"); err != nil {
		return envelope, err
	}
	envelope.Payload, err = members.nested("", "payload")
	return envelope, err
}

// names lists the keys of a set of fields in order.
func names(fields map[string]*string) []string {
	return slices.Sorted(maps.Keys(fields))
}
