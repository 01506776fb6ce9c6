package consumers

import "github.com/oceanway/outbox/contracts"

// metering is the in-memory state of the metering input processor: one fence per execution attempt.
type metering struct {
	ids      identities
	attempts map[string]*attemptFence
}

// attemptFence coordinates the two inputs of one attempt. Eligibility and usage share a lane, every cost has its own.
type attemptFence struct {
	ids         identities
	manifest    quad
	eligibility *watermark
	usage       *watermark
	bound       bool
	lane        inputLane
	costs       map[costKey]*costFence
}

type costKey struct{ deployment, dimension string }

type costFence struct {
	head watermark
	lane inputLane
}

// watermark is the newest input that a fence has accepted from one side.
type watermark struct {
	event    Delivery
	fact     quad
	state    int64
	location costKey
}

// inputLane is what a receipt freezes of a lane: its revision, its newest generation, its trigger and its state.
type inputLane struct {
	revision     int64
	generation   int64
	trigger      string
	coordination fields
}

func newMetering(ids identities) *metering {
	return &metering{ids: ids, attempts: map[string]*attemptFence{}}
}

// receive accepts one event that has no receipt yet and returns the receipt's candidate.
func (m *metering) receive(d Delivery) (fields, error) {
	decode := decodeEligibility
	if d.Envelope.EventType == availabilityChanged {
		decode = decodeAvailability
	}
	event, err := decode(d.Envelope)
	if err != nil {
		return nil, nonRetryable("event_unprocessable", err.Error())
	}
	fence := m.attempts[event.attempt]
	if fence == nil {
		fence = &attemptFence{ids: m.ids, manifest: event.manifest, bound: true, costs: map[costKey]*costFence{}}
	}
	if fence.manifest != event.manifest {
		return nil, nonRetryable("identity_conflict", "the attempt is bound to another execution manifest")
	}
	next := watermark{event: d, fact: event.fact, state: event.state, location: costKey{event.deployment, event.dimension}}
	var outcome string
	var lane fields
	if event.evidenceKind == "provider_cost" {
		outcome, lane, err = fence.observeCost(event, next)
	} else {
		outcome, lane, err = fence.observeInput(event, next)
	}
	if err != nil {
		return nil, err
	}
	m.attempts[event.attempt] = fence
	return meteringCandidate(d, event.source, outcome, lane), nil
}

// observeInput moves the eligibility lane: pending when both sides are there, waiting for the other side otherwise.
func (f *attemptFence) observeInput(event meteringEvent, next watermark) (string, fields, error) {
	side := &f.usage
	if event.kind == "execution_eligibility" {
		side = &f.eligibility
	}
	advanced, err := (*side).before(next)
	if err != nil {
		return "", nil, err
	}
	if !advanced {
		return "already_observed", f.lane.input(), nil
	}
	moved := *f
	if event.kind == "execution_eligibility" {
		moved.eligibility, moved.bound = &next, event.bound
	} else {
		moved.usage = &next
	}
	lane, err := moved.eligibilityLane(event.attempt)
	if err != nil {
		return "", nil, err
	}
	moved.lane = lane
	*f = moved
	return "advanced", lane.input(), nil
}

func (f *attemptFence) eligibilityLane(attempt string) (inputLane, error) {
	lane := inputLane{revision: f.lane.revision + 1, generation: f.lane.generation}
	trigger, err := digestOf(fields{
		"executionEligibilityWatermark": f.eligibility.eligibility(),
		"usageAvailabilityWatermark":    f.usage.availability(),
	}.withQuad("attemptExecutionManifest", f.manifest))
	if err != nil {
		return lane, err
	}
	lane.trigger = trigger
	switch {
	case f.eligibility == nil:
		lane.coordination = waitingInput("execution")
		return lane, nil
	case f.bound && f.usage == nil:
		lane.coordination = waitingInput("gateway_usage")
		return lane, nil
	}
	sources := []Delivery{f.eligibility.event}
	if f.usage != nil {
		sources = append(sources, f.usage.event)
	}
	lane.generation++
	identity := fields{"kind": "eligibility_and_settlement_input"}
	w, err := inputWork(f.ids, attempt, identity, lane.generation, trigger, sources)
	lane.coordination = pendingInput(w)
	return lane, err
}

// observeCost moves the lane of one provider cost, which waits for nobody.
func (f *attemptFence) observeCost(event meteringEvent, next watermark) (string, fields, error) {
	cost := f.costs[next.location]
	var head *watermark
	var lane inputLane
	if cost != nil {
		head, lane = &cost.head, cost.lane
	}
	advanced, err := head.before(next)
	if err != nil {
		return "", nil, err
	}
	if !advanced {
		return "already_observed", lane.cost(next.location), nil
	}
	lane.trigger, err = digestOf(fields{"costAvailabilityWatermark": next.availability()}.withQuad("attemptExecutionManifest", f.manifest))
	if err != nil {
		return "", nil, err
	}
	lane.revision++
	lane.generation++
	identity := fields{"kind": "provider_cost", "gatewayDeploymentId": event.deployment, "sourceEvidenceDimensionKey": event.dimension}
	w, err := inputWork(f.ids, event.attempt, identity, lane.generation, lane.trigger, []Delivery{next.event})
	if err != nil {
		return "", nil, err
	}
	lane.coordination = pendingInput(w)
	f.costs[next.location] = &costFence{head: next, lane: lane}
	return "advanced", lane.cost(next.location), nil
}

// before tells whether next moves the watermark. The same revision with another fact is a conflict, and so is a usage
// head that moves to another place.
func (w *watermark) before(next watermark) (bool, error) {
	switch {
	case w == nil:
		return true, nil
	case w.location != next.location:
		return false, nonRetryable("identity_conflict", "the input belongs to another deployment or dimension")
	case w.state == next.state && w.fact != next.fact:
		return false, nonRetryable("identity_conflict", "the same revision names another fact")
	}
	return w.state < next.state, nil
}

func (w *watermark) coordinates() fields {
	return fields{
		"eventId": w.event.Envelope.EventID, "eventEnvelopeDigestAlgorithmVersion": contracts.DigestAlgorithm,
		"eventEnvelopeSha256": w.event.Digest,
	}
}

func (w *watermark) eligibility() fields {
	if w == nil {
		return fields{"state": "none"}
	}
	f := w.coordinates().withQuad("executionEligibilityFact", w.fact)
	f["state"] = "finalized"
	return f
}

func (w *watermark) availability() fields {
	if w == nil {
		return fields{"state": "none"}
	}
	f := w.coordinates().withQuad("availability", w.fact)
	f["state"], f["stateVersion"] = "observed", w.state
	f["gatewayDeploymentId"], f["evidenceDimensionKey"] = w.location.deployment, w.location.dimension
	return f
}

func (l inputLane) input() fields {
	return fields{
		"kind":                                     "eligibility_and_settlement_input",
		"eligibilityFenceRevision":                 l.revision,
		"latestEligibilityWorkGeneration":          l.generation,
		"eligibilityTriggerDigestAlgorithmVersion": contracts.DigestAlgorithm,
		"eligibilityTriggerDigest":                 l.trigger,
		"coordinationState":                        l.coordination,
	}
}

func (l inputLane) cost(at costKey) fields {
	return fields{
		"kind":                                      "provider_cost",
		"gatewayDeploymentId":                       at.deployment,
		"sourceEvidenceDimensionKey":                at.dimension,
		"providerCostFenceRevision":                 l.revision,
		"latestProviderCostWorkGeneration":          l.generation,
		"providerCostTriggerDigestAlgorithmVersion": contracts.DigestAlgorithm,
		"providerCostTriggerDigest":                 l.trigger,
		"coordinationState":                         l.coordination,
	}
}
