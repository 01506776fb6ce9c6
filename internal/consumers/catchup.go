package consumers

import (
	"slices"

	"github.com/oceanway/outbox/contracts"
)

// catchUp is the billing settlement catch-up consumer: it keeps the newest settlement input of each dimension and
// makes due whatever work its reservation's phase calls for.
type catchUp struct {
	ids     identities
	billing *Billing
}

// settlementInput is one settlement input of one dimension, decoded from its closed payload.
type settlementInput struct {
	event    Delivery
	identity fields // tenant, reservation, run, dimension and economic identity
	snapshot quad
	state    int64
}

func (c *catchUp) receive(d Delivery) (fields, error) {
	next, err := decodeSettlementInput(d)
	if err != nil {
		return nil, nonRetryable("event_unprocessable", err.Error())
	}
	if err := c.ids.verifyDimension(d.Envelope); err != nil {
		return nil, err
	}
	c.billing.mu.Lock()
	defer c.billing.mu.Unlock()
	fence := c.billing.fenceOf(next.identity)
	dimension := fence.dimension(d.Envelope.AggregateID)
	if head := dimension.head; head != nil && next.state <= head.state {
		if next.state == head.state {
			return nil, nonRetryable("identity_conflict", "the same revision was notified by another event")
		}
		return catchUpCandidate(next, fields{
			"kind": "already_observed", "inboxRevision": dimension.inboxRevision, "highestObservedSettlementInput": head.pointer(),
		}), nil
	}
	before := *dimension
	dimension.head = &next
	dimension.inboxRevision++
	durability, err := fence.wake(c.ids, dimension, next)
	if err != nil {
		*dimension = before
		return nil, err
	}
	return catchUpCandidate(next, fields{
		"kind": "watermark_advanced", "inboxRevision": dimension.inboxRevision, "durability": durability,
	}), nil
}

// wake turns an advanced watermark into what the reservation's phase calls for.
func (f *finalizationFence) wake(ids identities, dimension *dimensionFence, next settlementInput) (fields, error) {
	switch f.phase {
	case phaseHeld:
		return fields{
			"state": "held_for_resolution", "finalizationFenceRevision": f.revision,
			"reconciliationCaseRef": f.caseRef, "reconciliationGeneration": f.caseGeneration, "expectedResolutionRevision": 1,
		}, nil
	case phaseCommitted:
		return dimension.catchUp(ids, next)
	default:
		s, err := f.schedule(ids, next.identity)
		if err != nil {
			return nil, err
		}
		return s.outcome(fields{"state": "finalization_work_scheduled"}), nil
	}
}

// catchUp moves the dimension's catch-up fence and addresses the work that this makes due.
func (d *dimensionFence) catchUp(ids identities, next settlementInput) (fields, error) {
	revision, generation := d.revision+1, d.generation+1
	basis := fields{"fenceRevision": revision, "workGeneration": generation, "settlementInputToValidate": next.pointer()}.
		with(next.identity, slices.Concat(billingNames(), dimensionNames(), []string{"settlementEconomicIdentity"})...)
	digest, err := digestOf(basis)
	if err != nil {
		return nil, err
	}
	operation, err := ids.derive(spaceBillingCatchUpCheck, fields{
		"purpose": "billing_catch_up_fence",
		"billingCatchUpBasisDigestAlgorithmVersion": contracts.DigestAlgorithm, "billingCatchUpBasisDigest": digest,
	}.withAll(next.pointer()))
	if err != nil {
		return nil, err
	}
	basis["billingCatchUpValidationOperationId"] = operation
	w, err := address("billingSettlementCatchUpWork", basis)
	if err != nil {
		return nil, err
	}
	d.revision, d.generation = revision, generation
	return fields{
		"state": "settlement_catch_up_scheduled", "settlementCatchUpFenceRevision": revision, "workGeneration": generation,
		"billingCatchUpValidationOperationId": operation,
	}.withQuad("billingSettlementCatchUpWork", w), nil
}

func decodeSettlementInput(d Delivery) (settlementInput, error) {
	e := d.Envelope
	names := slices.Concat(tenantNames(), billingNames(), dimensionNames())
	r := reader{object: e.Payload, path: "payload"}
	r.closed(slices.Concat(names, quadNames("currentSettlementInputSnapshot"),
		[]string{"settlementEconomicIdentity", "currentSettlementInputStateVersion", "supersedesSettlementInputSnapshot"}), []string{"projectId"})
	for _, name := range names {
		r.text(name)
	}
	next := settlementInput{event: d, snapshot: r.quad("currentSettlementInputSnapshot"), state: r.integer("currentSettlementInputStateVersion", 1)}
	r.check(next.state == e.AggregateRevision, "currentSettlementInputStateVersion", "is not the aggregate revision")
	previous := reader{object: r.child("supersedesSettlementInputSnapshot"), path: "payload.supersedesSettlementInputSnapshot"}
	switch previous.text("state") {
	case "root":
		previous.closed([]string{"state"}, nil)
		previous.check(next.state == 1, "state", "is root for a later revision")
	case "supersedes":
		previous.closed([]string{"state", "ref", "schemaVersion", "digestAlgorithmVersion", "digest", "stateVersion"}, nil)
		previous.check(previous.integer("stateVersion", 1) == next.state-1, "stateVersion", "is not the direct predecessor")
	default:
		previous.fail("state", "is unknown")
	}
	economic := reader{object: r.child("settlementEconomicIdentity"), path: "payload.settlementEconomicIdentity"}
	economic.economicIdentity()
	next.identity = fields{}.with(e.Payload, names...).with(e.Payload, "projectId", "settlementEconomicIdentity")
	return next, firstError(r.err, previous.err, economic.err)
}

// economicIdentity checks the closed union of what a dimension settles in.
func (r *reader) economicIdentity() {
	members := map[string][]string{
		"credits": {"kind"}, "entitlement": {"kind", "entitlementKey", "unit"}, "money": {"kind", "currency"},
	}
	names, ok := members[r.text("kind")]
	r.check(ok, "kind", "is unknown")
	if ok {
		r.closed(names, nil)
	}
}

func (s settlementInput) pointer() fields {
	return fields{"settlementInputStateVersion": s.state}.withQuad("settlementInputSnapshot", s.snapshot)
}

// watermark is what a trigger snapshot keeps of a settlement input.
func (s settlementInput) watermark() fields {
	f := sourceEvent(s.event).withQuad("currentSettlementInputSnapshot", s.snapshot)
	f["currentSettlementInputStateVersion"] = s.state
	return f.with(s.identity, slices.Concat(dimensionNames(), []string{"settlementEconomicIdentity"})...)
}

// catchUpCandidate is a BillingSettlementCatchUpConsumerReceipt@1 before it is sealed.
func catchUpCandidate(s settlementInput, outcome fields) fields {
	candidate := receiptHead(memberOf(KindCatchUp), s.event)
	candidate["eventType"] = s.event.Envelope.EventType
	candidate["eventSchemaVersion"] = s.event.Envelope.EventSchemaVersion
	candidate["eventSettlementInput"] = s.pointer()
	candidate["outcome"] = outcome
	return candidate.with(s.identity, slices.Concat(tenantNames(), billingNames(), dimensionNames(), []string{"projectId", "settlementEconomicIdentity"})...)
}
