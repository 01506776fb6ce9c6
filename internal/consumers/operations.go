package consumers

import "fmt"

// operationsCandidate is an OperationsProjectionAppliedReceipt@1 without the three fields that the database adds:
// reference, digest and appliedAt. The projection is the one the delivery froze; it is never inferred.
func operationsCandidate(d Delivery) fields {
	candidate := receiptHead(memberOf(KindOperations), d)
	candidate["projectionName"] = d.Projection.Name
	candidate["projectionVersion"] = d.Projection.Version
	candidate["eventType"] = d.Envelope.EventType
	candidate["eventSchemaVersion"] = d.Envelope.EventSchemaVersion
	return candidate
}

// verifyIdentities verifies the identifiers of an event that are derived from what its payload says.
func verifyIdentities(ids identities, e Envelope) error {
	switch e.EventType {
	case reconciliationRequested:
		return ids.verifyCaseRequest(e)
	case resolutionApplied:
		return ids.verifyResolution(e)
	}
	return nil
}

// advance is one step of one aggregate of the projection.
type advance struct {
	aggregateID string
	revision    int64
}

// advances lists the aggregates that an event moves. Every event moves its own; a committed finalization also brings
// each of its settlement dimensions to the revision that it names, so that the transitions that follow are contiguous.
func advances(ids identities, e Envelope) ([]advance, error) {
	steps := []advance{{aggregateID: e.AggregateID, revision: e.AggregateRevision}}
	if e.EventType != finalizationCommitted {
		return steps, nil
	}
	r := reader{object: e.Payload, path: "payload"}
	reservation := r.text("billingReservationId")
	for i, item := range r.list("dimensionCommitments") {
		object, _ := item.(map[string]any)
		c := reader{object: object, path: fmt.Sprintf("payload.dimensionCommitments[%d]", i)}
		id, err := ids.derive(spaceDimension, dimensionCandidate(reservation, object))
		steps = append(steps, advance{aggregateID: id, revision: c.integer("resultingDimensionStateRevision", 1)})
		if err := firstError(err, c.err); err != nil {
			return nil, err
		}
	}
	return steps, r.err
}
