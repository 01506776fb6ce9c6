package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
)

// ledger is everything that the audit compares.
type ledger struct {
	events     []storedEvent
	deliveries []storedDelivery
	timeline   map[string]int           // event → rows of the projection's timeline
	receipts   map[string]receiptRecord // event → the operations receipt in the consumer's inbox
}

type storedEvent struct {
	id, eventType, digest string
	published             bool
	set                   contracts.DefinitionIdentity
}

type storedDelivery struct {
	eventID, destination, status string
	attempts                     int
	receiptRecord
}

type receiptRecord struct{ ref, digest string }

// audit reads both databases and judges them against what the scenario says it did.
func audit(ctx context.Context, s *stage, c *cast, d *dispatching, p performance) (result, error) {
	r := newResult()
	var l ledger
	var err error
	if l.events, err = readEvents(ctx, s.reader); err != nil {
		return r, err
	}
	if l.deliveries, err = readDeliveries(ctx, s.reader); err != nil {
		return r, err
	}
	if l.timeline, err = readTimeline(ctx, s.audit); err != nil {
		return r, err
	}
	if l.receipts, err = readReceipts(ctx, s.audit); err != nil {
		return r, err
	}
	if err := r.readAttempts(ctx, s.reader); err != nil {
		return r, err
	}
	violations, err := readViolations(ctx, s)
	if err != nil {
		return r, err
	}
	var missing, extra int
	if err := s.reader.QueryRow(ctx, sqlNotAsFrozen).Scan(&missing, &extra); err != nil {
		return r, fmt.Errorf("compare with the frozen definitions: %w", err)
	}
	r.Transactions, r.Events, r.Deliveries = p.transactions, len(l.events), len(l.deliveries)
	r.Dispatchers = d.history
	r.count(l)
	r.Violations = len(violations)

	r.check("every appended event is stored, with the digest that append returned", l.notAsAppended(p))
	r.check("all thirteen event types were used", missingTypes(l.events))
	r.check("every event froze the registered definition", l.otherSet(s.release))
	r.check("every event is published", l.unpublished())
	r.check("every delivery is acknowledged", l.unacknowledged())
	r.check("the deliveries are exactly those that were frozen", frozenFault(missing, extra))
	r.check("each consumer applied each of its events exactly once", l.notAppliedOnce(c))
	r.check("each acknowledgement names the receipt that the consumer keeps", l.otherReceipt(c))
	r.check("one consumer failed twice at an event and was tried again", l.notTriedAgain(c))
	r.check("the killed dispatcher's attempts were recovered", r.notRecovered())
	r.check("no invariant is broken", strings.Join(violations, "; "))
	return r, nil
}

func (l ledger) notAsAppended(p performance) string {
	digests := make(map[string]string, len(l.events))
	for _, e := range l.events {
		digests[e.id] = e.digest
	}
	wrong := 0
	for _, e := range p.events {
		if digests[e.EventID] != e.Digest {
			wrong++
		}
	}
	if wrong > 0 || len(p.events) != len(l.events) {
		return fmt.Sprintf("%d appended, %d stored, %d of them missing or different", len(p.events), len(l.events), wrong)
	}
	return ""
}

func missingTypes(events []storedEvent) string {
	used := map[string]bool{}
	for _, e := range events {
		used[e.eventType] = true
	}
	if len(used) != 13 {
		return fmt.Sprintf("%d types were used", len(used))
	}
	return ""
}

func (l ledger) otherSet(release contracts.DefinitionIdentity) string {
	return count(l.events, func(e storedEvent) bool { return e.set != release }, "%d events froze another")
}

func (l ledger) unpublished() string {
	return count(l.events, func(e storedEvent) bool { return !e.published }, "%d are not")
}

func (l ledger) unacknowledged() string {
	return count(l.deliveries, func(d storedDelivery) bool { return d.status != "acknowledged" }, "%d are not")
}

func frozenFault(missing, extra int) string {
	if missing+extra > 0 {
		return fmt.Sprintf("%d are missing, %d are extra", missing, extra)
	}
	return ""
}

// notAppliedOnce counts in two ways: what the consumers report when they commit, and for the projection its timeline.
func (l ledger) notAppliedOnce(c *cast) string {
	fault := count(l.deliveries, func(d storedDelivery) bool {
		if d.destination == string(consumers.KindOperations) && l.timeline[d.eventID] != 1 {
			return true
		}
		return c.tracker.Times(consumers.Kind(d.destination), d.eventID) != 1
	}, "%d were not")
	if fault != "" {
		return fault
	}
	applied := len(l.timeline)
	for _, receiver := range c.receivers {
		applied += receiver.Len()
	}
	if applied != len(l.deliveries) {
		return fmt.Sprintf("%d applied, %d delivered", applied, len(l.deliveries))
	}
	return ""
}

func (l ledger) otherReceipt(c *cast) string {
	return count(l.deliveries, func(d storedDelivery) bool {
		if d.destination == string(consumers.KindOperations) {
			return d.receiptRecord != l.receipts[d.eventID]
		}
		kept, ok := keptReceipt(c, d)
		return !ok || kept != d.receiptRecord
	}, "%d do not")
}

// notTriedAgain looks at the event that a consumer failed at on purpose: that often, and once more, it was attempted.
func (l ledger) notTriedAgain(c *cast) string {
	if n := len(c.failed); n != plannedFailures {
		return fmt.Sprintf("it failed %d times", n)
	}
	failed := <-c.failed
	for _, d := range l.deliveries {
		if d.eventID == failed.Envelope.EventID && d.destination == failed.Destination && d.attempts > plannedFailures {
			return ""
		}
	}
	return "too few attempts"
}

// keptReceipt reads reference and digest from the receipt that a receiver holds in memory.
func keptReceipt(c *cast, d storedDelivery) (receiptRecord, bool) {
	receiver := c.receivers[consumers.Kind(d.destination)]
	if receiver == nil {
		return receiptRecord{}, false
	}
	raw, ok := receiver.Receipt(d.eventID)
	var members map[string]any
	if !ok || json.Unmarshal(raw, &members) != nil {
		return receiptRecord{}, false
	}
	prefix := contracts.ReceiptPrefix(consumers.Kind(d.destination).ReceiptType())
	ref, _ := members[prefix+"Ref"].(string)
	digest, _ := members[prefix+"Digest"].(string)
	return receiptRecord{ref: ref, digest: digest}, true
}

// count is the complaint about the items that are wrong, empty when none is.
func count[T any](items []T, wrong func(T) bool, complaint string) string {
	n := 0
	for _, item := range items {
		if wrong(item) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(complaint, n)
}

func readEvents(ctx context.Context, pool *pgxpool.Pool) ([]storedEvent, error) {
	return read(ctx, pool, sqlEvents, func(row pgx.CollectableRow) (e storedEvent, err error) {
		return e, row.Scan(&e.id, &e.eventType, &e.digest, &e.published, &e.set.DeliverySetVersion,
			&e.set.DeliverySetDefinitionSchemaVersion, &e.set.DeliverySetDefinitionDigestAlgorithmVersion, &e.set.DeliverySetDefinitionDigest)
	})
}

func readDeliveries(ctx context.Context, pool *pgxpool.Pool) ([]storedDelivery, error) {
	return read(ctx, pool, sqlDeliveries, func(row pgx.CollectableRow) (d storedDelivery, err error) {
		return d, row.Scan(&d.eventID, &d.destination, &d.status, &d.attempts, &d.ref, &d.digest)
	})
}

func readTimeline(ctx context.Context, pool *pgxpool.Pool) (map[string]int, error) {
	type entry struct {
		eventID string
		rows    int
	}
	entries, err := read(ctx, pool, sqlTimeline, func(row pgx.CollectableRow) (e entry, err error) {
		return e, row.Scan(&e.eventID, &e.rows)
	})
	timeline := make(map[string]int, len(entries))
	for _, e := range entries {
		timeline[e.eventID] = e.rows
	}
	return timeline, err
}

func readReceipts(ctx context.Context, pool *pgxpool.Pool) (map[string]receiptRecord, error) {
	type entry struct {
		eventID string
		receiptRecord
	}
	entries, err := read(ctx, pool, sqlReceipts, func(row pgx.CollectableRow) (e entry, err error) {
		return e, row.Scan(&e.eventID, &e.ref, &e.digest)
	})
	receipts := make(map[string]receiptRecord, len(entries))
	for _, e := range entries {
		receipts[e.eventID] = e.receiptRecord
	}
	return receipts, err
}

// readViolations runs the product's own verification on both databases.
func readViolations(ctx context.Context, s *stage) ([]string, error) {
	var all []string
	for _, pool := range []*pgxpool.Pool{s.reader, s.audit} {
		found, err := read(ctx, pool, sqlViolations, func(row pgx.CollectableRow) (text string, err error) {
			return text, row.Scan(&text)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func read[T any](ctx context.Context, pool *pgxpool.Pool, sql string, row pgx.RowToFunc[T]) ([]T, error) {
	rows, err := pool.Query(ctx, sql)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	items, err := pgx.CollectRows(rows, row)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return items, nil
}
