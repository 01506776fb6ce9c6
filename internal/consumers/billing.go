package consumers

import (
	"maps"
	"slices"
	"sync"

	"github.com/oceanway/outbox/contracts"
)

// Billing is the in-memory state that the two billing receivers share: one finalization fence per reservation and one
// settlement watermark per dimension. What Billing decides by itself, and no event of theirs carries, is told to it:
// that a finalization was held for reconciliation, and that it was committed.
type Billing struct {
	mu     sync.Mutex
	fences map[string]*finalizationFence
}

type finalizationPhase int

const (
	phaseOpen finalizationPhase = iota
	phaseHeld
	phaseCommitted
)

// finalizationFence coordinates everything that wakes the finalization of one reservation.
type finalizationFence struct {
	phase          finalizationPhase
	revision       int64
	generation     int64
	caseRef        string
	caseGeneration int64
	closure        *mark
	resolution     *mark
	resolved       map[int64]quad // case generation → the resolution fact that it took
	dimensions     map[string]*dimensionFence
}

// mark is an accepted event with what a trigger snapshot keeps of it.
type mark struct {
	event Delivery
	body  fields
}

// dimensionFence is the settlement watermark of one dimension and, after finalization, its catch-up fence.
type dimensionFence struct {
	inboxRevision int64
	head          *settlementInput
	revision      int64
	generation    int64
}

// NewBilling returns a state that has seen nothing.
func NewBilling() *Billing {
	return &Billing{fences: map[string]*finalizationFence{}}
}

// Hold tells that the finalization of a reservation waits for the resolution of a case.
func (b *Billing) Hold(billingReservationID, caseRef string, caseGeneration int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.fence(billingReservationID)
	f.phase, f.caseRef, f.caseGeneration = phaseHeld, caseRef, caseGeneration
}

// Committed tells that the finalization of a reservation was committed: later inputs are caught up with.
func (b *Billing) Committed(billingReservationID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fence(billingReservationID).phase = phaseCommitted
}

func (b *Billing) fence(reservation string) *finalizationFence {
	f := b.fences[reservation]
	if f == nil {
		f = &finalizationFence{resolved: map[int64]quad{}, dimensions: map[string]*dimensionFence{}}
		b.fences[reservation] = f
	}
	return f
}

// fenceOf is the fence of the reservation that a payload's identity names.
func (b *Billing) fenceOf(identity fields) *finalizationFence {
	reservation, _ := identity["billingReservationId"].(string)
	return b.fence(reservation)
}

func (f *finalizationFence) dimension(id string) *dimensionFence {
	d := f.dimensions[id]
	if d == nil {
		d = &dimensionFence{}
		f.dimensions[id] = d
	}
	return d
}

// scheduled is one generation of finalization work, addressed together with the trigger snapshot that it works on.
type scheduled struct {
	revision   int64
	generation int64
	trigger    quad
	work       quad
}

// schedule moves the fence to its next revision and addresses the work that this makes due.
func (f *finalizationFence) schedule(ids identities, who fields) (scheduled, error) {
	reservation, _ := who["billingReservationId"].(string)
	run, _ := who["runId"].(string)
	s := scheduled{revision: f.revision + 1, generation: f.generation + 1}
	identity := fields{
		"billingFinalizationFenceId": FinalizationFenceID(reservation, run),
		"fenceRevision":              s.revision, "workGeneration": s.generation,
	}.with(who, "tenantKind", "tenantId", "workspaceId", "projectId", "billingReservationId", "billingAccountId", "runId")
	inputs := f.settlementWatermarks()
	var err error
	s.trigger, err = address("billingFinalizationTriggerSnapshot", fields{
		"executionClosureWatermark":         f.closure.watermark("closed"),
		"reconciliationResolutionWatermark": f.resolution.watermark("applied"),
		"settlementInputWatermarkCount":     len(inputs),
		"settlementInputWatermarks":         inputs,
	}.withAll(identity))
	if err != nil {
		return s, err
	}
	operation, err := ids.derive(spaceFinalization, fields{
		"workGeneration": s.generation,
		"billingFinalizationTriggerSnapshotDigestAlgorithmVersion": s.trigger.algorithm,
		"billingFinalizationTriggerSnapshotDigest":                 s.trigger.digest,
	}.with(who, "billingReservationId", "runId"))
	if err != nil {
		return s, err
	}
	s.work, err = address("billingFinalizationWork", fields{"billingFinalizationOperationId": operation}.
		withAll(identity).
		withQuad("billingFinalizationTriggerSnapshot", s.trigger))
	if err != nil {
		return s, err
	}
	f.revision, f.generation = s.revision, s.generation
	return s, nil
}

// outcome adds the scheduled work to a receipt's outcome.
func (s scheduled) outcome(f fields) fields {
	f["finalizationFenceRevision"], f["workGeneration"] = s.revision, s.generation
	return f.withQuad("billingFinalizationTriggerSnapshot", s.trigger).withQuad("billingFinalizationWork", s.work)
}

func (f *finalizationFence) settlementWatermarks() []fields {
	list := []fields{}
	for _, id := range slices.Sorted(maps.Keys(f.dimensions)) {
		if head := f.dimensions[id].head; head != nil {
			list = append(list, head.watermark())
		}
	}
	return list
}

func (m *mark) watermark(state string) fields {
	if m == nil {
		return fields{"state": "none"}
	}
	f := sourceEvent(m.event).withAll(m.body)
	f["state"] = state
	return f
}

func sourceEvent(d Delivery) fields {
	return fields{
		"sourceEventId": d.Envelope.EventID, "sourceEventType": d.Envelope.EventType,
		"sourceEventSchemaVersion":                  d.Envelope.EventSchemaVersion,
		"sourceEventEnvelopeDigestAlgorithmVersion": contracts.DigestAlgorithm, "sourceEventEnvelopeSha256": d.Digest,
	}
}
