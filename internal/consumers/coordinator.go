package consumers

import (
	"net/http"
	"slices"
)

// coordinator is the billing finalization coordinator: it turns a closed run, or the resolution of a case, into one
// generation of finalization work.
type coordinator struct {
	ids     identities
	billing *Billing
}

func (c *coordinator) receive(d Delivery) (fields, error) {
	c.billing.mu.Lock()
	defer c.billing.mu.Unlock()
	if d.Envelope.EventType == runClosed {
		return c.receiveClosure(d)
	}
	return c.receiveResolution(d)
}

func (c *coordinator) receiveClosure(d Delivery) (fields, error) {
	source, err := closureSource(d.Envelope)
	if err != nil {
		return nil, nonRetryable("event_unprocessable", err.Error())
	}
	fence := c.billing.fenceOf(source)
	if fence.closure != nil {
		return nil, nonRetryable("identity_conflict", "the run was closed by another event")
	}
	fence.closure = &mark{event: d, body: source}
	s, err := fence.schedule(c.ids, source)
	if err != nil {
		fence.closure = nil
		return nil, err
	}
	return coordinatorCandidate(d, source, s.outcome(fields{"state": "work_scheduled"})), nil
}

func (c *coordinator) receiveResolution(d Delivery) (fields, error) {
	source, fact, err := resolutionSource(d.Envelope)
	if err != nil {
		return nil, nonRetryable("event_unprocessable", err.Error())
	}
	if err := c.ids.verifyResolution(d.Envelope); err != nil {
		return nil, err
	}
	r := reader{object: d.Envelope.Payload, path: "payload"}
	generation := r.integer("reconciliationGeneration", 1)
	fence := c.billing.fence(r.text("billingReservationId"))
	if taken, ok := fence.resolved[generation]; ok {
		if taken != fact {
			return nil, nonRetryable("identity_conflict", "the case generation took another resolution")
		}
		return coordinatorCandidate(d, source, fields{"state": "already_superseded", "finalizationFenceRevision": fence.revision}), nil
	}
	if fence.closure == nil || fence.phase == phaseHeld && fence.caseGeneration < generation {
		return nil, retryable(http.StatusServiceUnavailable, "fence_not_bindable", "the fence has not reached this case")
	}
	if fence.phase == phaseHeld && (fence.caseGeneration != generation || fence.caseRef != r.text("reconciliationCaseRef")) {
		return nil, nonRetryable("identity_conflict", "the fence is held by another case")
	}
	before := *fence
	fence.phase, fence.resolution = phaseOpen, &mark{event: d, body: source}
	s, err := fence.schedule(c.ids, source)
	if err != nil {
		*fence = before
		return nil, err
	}
	fence.resolved[generation] = fact
	return coordinatorCandidate(d, source, s.outcome(fields{"state": "work_scheduled"})), nil
}

// closureSource is the execution_closure member of the receipt's source union.
func closureSource(e Envelope) (fields, error) {
	names := slices.Concat(tenantNames(), billingNames(), []string{"closureOperationId"},
		quadNames("runAdmissionManifest"), quadNames("runExecutionFinalization"), quadNames("attemptSetManifest"))
	numbers := []string{"runExecutionFinalizationStateVersion", "attemptCount"}
	r := reader{object: e.Payload, path: "payload"}
	r.closed(slices.Concat(names, numbers), []string{"projectId"})
	for _, name := range names {
		r.text(name)
	}
	for _, prefix := range []string{"runAdmissionManifest", "runExecutionFinalization", "attemptSetManifest"} {
		r.quad(prefix)
	}
	r.check(r.integer("runExecutionFinalizationStateVersion", 1) == 1, "runExecutionFinalizationStateVersion", "is not 1")
	r.integer("attemptCount", 0)
	r.check(e.AggregateID == r.text("runId") && e.AggregateRevision == 1, "runId", "is not the aggregate at revision 1")
	source := fields{"kind": "execution_closure", "eventType": e.EventType, "eventSchemaVersion": e.EventSchemaVersion}
	return source.with(e.Payload, names...).with(e.Payload, numbers...).with(e.Payload, "projectId"), r.err
}

// resolutionSource is the finalization_reconciliation_resolution member of the receipt's source union, and the fact
// that it rests on. The actor is the envelope's.
func resolutionSource(e Envelope) (fields, quad, error) {
	names := slices.Concat(tenantNames(), billingNames(),
		[]string{"billingFinalizationFenceId", "reconciliationCaseRef", "resolutionOperationId", "action"},
		quadNames("finalizationCaseIdentityReservation"), quadNames("finalizationReconciliationResolutionApplied"))
	numbers := []string{"reconciliationGeneration", "resolutionRevision"}
	r := reader{object: e.Payload, path: "payload"}
	r.closed(slices.Concat(names, numbers), []string{"projectId"})
	for _, name := range names {
		r.text(name)
	}
	r.quad("finalizationCaseIdentityReservation")
	fact := r.quad("finalizationReconciliationResolutionApplied")
	r.integer("reconciliationGeneration", 1)
	r.check(r.integer("resolutionRevision", 1) == 1, "resolutionRevision", "is not 1")
	r.check(r.text("action") == "reevaluate_current_owner_state", "action", "is unknown")
	actor := reader{object: map[string]any{"actorPrincipalId": e.ActorPrincipalID}, path: "envelope"}
	source := fields{
		"kind": "finalization_reconciliation_resolution", "eventType": e.EventType, "eventSchemaVersion": e.EventSchemaVersion,
		"actorWorkforcePrincipalId": actor.text("actorPrincipalId"),
	}
	return source.with(e.Payload, names...).with(e.Payload, numbers...).with(e.Payload, "projectId"), fact, firstError(r.err, actor.err)
}

// coordinatorCandidate is a BillingFinalizationCoordinatorConsumerReceipt@1 before it is sealed.
func coordinatorCandidate(d Delivery, source, outcome fields) fields {
	candidate := receiptHead(memberOf(KindCoordinator), d)
	candidate["source"] = source
	candidate["outcome"] = outcome
	return candidate
}
