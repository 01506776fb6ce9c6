package consumers

import (
	"cmp"
	"slices"

	"github.com/oceanway/outbox/contracts"
)

// meteringEvent is what one event tells the metering processor, decoded from its closed payload.
type meteringEvent struct {
	kind     string // execution_eligibility or gateway_availability
	attempt  string
	manifest quad
	fact     quad // the eligibility fact, or the current availability
	state    int64
	bound    bool // the attempt went through a gateway, so usage evidence is to be awaited

	deployment   string
	evidenceKind string
	dimension    string

	source fields // the receipt's source union member
}

func decodeEligibility(e Envelope) (meteringEvent, error) {
	names := slices.Concat(tenantNames(), billingNames(), []string{"runStepId", "executionAttemptId"},
		quadNames("attemptExecutionManifest"), quadNames("executionEligibilityFact"))
	r := reader{object: e.Payload, path: "payload"}
	r.closed(slices.Concat(names, []string{"terminalState", "dispatchDisposition", "outputEligibility"}), []string{"projectId"})
	for _, name := range names {
		r.text(name)
	}
	dispatch := reader{object: r.child("dispatchDisposition"), path: "payload.dispatchDisposition"}
	state := dispatch.text("state")
	dispatch.check(state == "gateway_bound" || state == "not_dispatched", "state", "is unknown")
	event := meteringEvent{
		kind: "execution_eligibility", attempt: r.text("executionAttemptId"),
		manifest: r.quad("attemptExecutionManifest"), fact: r.quad("executionEligibilityFact"), state: 1,
		bound: state == "gateway_bound",
	}
	r.check(event.attempt == e.AggregateID && e.AggregateRevision == 1, "executionAttemptId", "is not the aggregate at revision 1")
	event.source = fields{"kind": event.kind, "eventType": e.EventType, "eventSchemaVersion": e.EventSchemaVersion}.
		with(e.Payload, names...).with(e.Payload, "projectId")
	return event, firstError(r.err, dispatch.err)
}

func decodeAvailability(e Envelope) (meteringEvent, error) {
	names := slices.Concat([]string{"executionAttemptId", "gatewayDeploymentId", "providerEvidenceKind", "evidenceDimensionKey"},
		quadNames("attemptExecutionManifest"), quadNames("currentAvailability"))
	r := reader{object: e.Payload, path: "payload"}
	r.closed(slices.Concat(names, quadNames("attemptRouteBinding"), quadNames("gatewayRouteSnapshot"),
		[]string{"currentAvailabilityStateVersion", "supersedesAvailability"}), nil)
	for _, name := range names {
		r.text(name)
	}
	r.quad("attemptRouteBinding")
	r.quad("gatewayRouteSnapshot")
	event := meteringEvent{
		kind: "gateway_availability", attempt: r.text("executionAttemptId"), bound: true,
		manifest: r.quad("attemptExecutionManifest"), fact: r.quad("currentAvailability"),
		state:      r.integer("currentAvailabilityStateVersion", 1),
		deployment: r.text("gatewayDeploymentId"), evidenceKind: r.text("providerEvidenceKind"), dimension: r.text("evidenceDimensionKey"),
	}
	r.check(event.evidenceKind == "provider_usage" || event.evidenceKind == "provider_cost", "providerEvidenceKind", "is unknown")
	r.check(event.state == e.AggregateRevision, "currentAvailabilityStateVersion", "is not the aggregate revision")
	event.source = fields{"kind": event.kind, "eventType": e.EventType, "eventSchemaVersion": e.EventSchemaVersion}.
		with(e.Payload, names...).with(e.Payload, "currentAvailabilityStateVersion")
	return event, r.err
}

// meteringCandidate is a MeteringInputProcessorConsumerReceipt@1 before it is sealed.
func meteringCandidate(d Delivery, source fields, outcome string, lane fields) fields {
	candidate := receiptHead(memberOf(KindMetering), d)
	candidate["source"] = source
	candidate["outcome"] = outcome
	candidate["lane"] = lane
	return candidate
}

// inputWork addresses the MeteringInputWork@1 that one generation of a lane stands for.
func inputWork(ids identities, attempt string, lane fields, generation int64, trigger string, sources []Delivery) (work, error) {
	w := work{generation: generation}
	identity := fields{
		"executionAttemptId": attempt, "lane": lane, "workGeneration": generation,
		"laneTriggerDigestAlgorithmVersion": contracts.DigestAlgorithm, "laneTriggerDigest": trigger,
	}
	var err error
	if w.operation, err = ids.derive(spaceMeteringInputWork, identity); err != nil {
		return w, err
	}
	coordinates := make([]fields, 0, len(sources))
	slices.SortFunc(sources, func(a, b Delivery) int {
		return cmp.Or(cmp.Compare(a.Envelope.EventType, b.Envelope.EventType), cmp.Compare(a.Envelope.EventID, b.Envelope.EventID))
	})
	for _, s := range sources {
		coordinates = append(coordinates, fields{
			"eventId": s.Envelope.EventID, "eventType": s.Envelope.EventType, "eventSchemaVersion": s.Envelope.EventSchemaVersion,
			"eventEnvelopeDigestAlgorithmVersion": contracts.DigestAlgorithm, "eventEnvelopeSha256": s.Digest,
		})
	}
	w.quad, err = address("meteringInputWork", fields{
		"meteringInputWorkOperationId": w.operation, "sourceEventCoordinates": coordinates,
	}.withAll(identity))
	return w, err
}

// work is one addressed unit of durable work.
type work struct {
	quad
	generation int64
	operation  string
}

// pendingInput is the coordination state of a lane whose newest work waits to be done.
func pendingInput(w work) fields {
	active := fields{"state": "pending", "workGeneration": w.generation, "meteringInputWorkOperationId": w.operation}
	return fields{"state": "pending", "activeWork": active.withQuad("meteringInputWork", w.quad)}
}

// waitingInput is the coordination state of a lane that has never had work and waits for its counterpart.
func waitingInput(counterpart string) fields {
	return fields{
		"state":            "waiting_for_" + counterpart,
		"activeWork":       fields{"state": "none"},
		"lastFinishedWork": fields{"state": "none"},
	}
}
