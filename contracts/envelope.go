package contracts

import "encoding/json"

// EnvelopeSchema is the schema of an event's envelope.
const EnvelopeSchema = "EventEnvelope@1"

// Envelope is what every event travels in. The members that may be absent are empty then.
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

// ParseEnvelope reads an envelope that its schema accepts. The payload stays a raw object in canonical
// form. No size is refused: whoever reads the text bounds it.
func (r *Registry) ParseEnvelope(doc []byte) (Envelope, error) {
	var envelope Envelope
	if err := r.decode(EnvelopeSchema, doc, &envelope); err != nil {
		return Envelope{}, err
	}
	return envelope, nil
}
