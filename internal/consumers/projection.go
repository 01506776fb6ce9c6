package consumers

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"
)

// The projection's SQL. Aggregates are locked in the order of their ids, so that two events that move the same
// aggregates cannot wait for each other.
const (
	sqlKnowAggregates = `
insert into operations_demo.aggregates (projection_name, projection_version, aggregate_id, revision)
select $1, $2, wanted.aggregate_id, 0
from unnest($3::text[]) with ordinality as wanted (aggregate_id, position)
order by wanted.position
on conflict do nothing`

	sqlLockAggregates = `
select aggregate_id, revision
from operations_demo.aggregates
where projection_name = $1 and projection_version = $2 and aggregate_id = any ($3::text[])
order by aggregate_id collate "C"
for update`

	sqlRecordReceipt = `select r.result, r.receipt from inbox.record_receipt($1, $2::json) as r`

	sqlRecordGap = `
insert into operations_demo.gaps (projection_name, projection_version, event_id, aggregate_id, revision_held, revision_offered)
values ($1, $2, $3::uuid, $4, $5, $6)
on conflict do nothing`

	sqlCloseGap = `
update operations_demo.gaps
set closed_at = clock_timestamp()
where projection_name = $1 and projection_version = $2 and event_id = $3::uuid and closed_at is null`

	sqlMoveAggregate = `
update operations_demo.aggregates
set revision = $4, event_id = $5::uuid, changed_at = clock_timestamp()
where projection_name = $1 and projection_version = $2 and aggregate_id = $3`

	sqlAddToTimeline = `
insert into operations_demo.timeline (projection_name, projection_version, event_id, event_type, aggregate_id, aggregate_revision, correlation_id, occurred_at)
values ($1, $2, $3::uuid, $4, $5, $6, $7, $8::text::timestamptz)`
)

// application is one delivery inside its transaction.
type application struct {
	tx       pgx.Tx
	delivery Delivery
}

// apply locks the event's aggregates, looks at their revisions, and then either repeats the first receipt, records a
// gap, or records the receipt and moves the projection.
func (a application) apply(ctx context.Context, steps []advance) ([]byte, bool, error) {
	held, err := a.lock(ctx, steps)
	if err != nil {
		return nil, false, err
	}
	for _, step := range steps {
		if step.revision > held[step.aggregateID]+1 {
			return nil, false, a.gap(ctx, step, held[step.aggregateID])
		}
	}
	candidate, err := canonical(operationsCandidate(a.delivery))
	if err != nil {
		return nil, false, err
	}
	var result, receipt string
	err = a.tx.QueryRow(ctx, sqlRecordReceipt, memberOf(KindOperations).receiptType, string(candidate)).Scan(&result, &receipt)
	if err != nil {
		return nil, false, fmt.Errorf("record the receipt: %w", err)
	}
	if result == "identical" {
		return []byte(receipt), false, nil
	}
	for _, step := range steps {
		if step.revision <= held[step.aggregateID] {
			return nil, false, nonRetryable("identity_conflict", "another event has taken this revision of its aggregate")
		}
	}
	return []byte(receipt), true, a.move(ctx, steps)
}

// lock makes sure that every aggregate of the event is known, locks them, and returns the revisions they are at.
func (a application) lock(ctx context.Context, steps []advance) (map[string]int64, error) {
	ids := make([]string, len(steps))
	for i, step := range steps {
		ids[i] = step.aggregateID
	}
	slices.Sort(ids)
	target := a.delivery.Projection
	if _, err := a.tx.Exec(ctx, sqlKnowAggregates, target.Name, target.Version, ids); err != nil {
		return nil, fmt.Errorf("know the aggregates: %w", err)
	}
	rows, err := a.tx.Query(ctx, sqlLockAggregates, target.Name, target.Version, ids)
	if err != nil {
		return nil, fmt.Errorf("lock the aggregates: %w", err)
	}
	held := make(map[string]int64, len(steps))
	var id string
	var revision int64
	_, err = pgx.ForEachRow(rows, []any{&id, &revision}, func() error {
		held[id] = revision
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock the aggregates: %w", err)
	}
	return held, nil
}

func (a application) gap(ctx context.Context, step advance, held int64) error {
	target := a.delivery.Projection
	_, err := a.tx.Exec(ctx, sqlRecordGap, target.Name, target.Version, a.delivery.Envelope.EventID, step.aggregateID, held, step.revision)
	if err != nil {
		return fmt.Errorf("record the gap: %w", err)
	}
	return retryable(http.StatusServiceUnavailable, "revision_gap", "an earlier revision of the aggregate is still to come")
}

// move applies the event to the projection.
func (a application) move(ctx context.Context, steps []advance) error {
	target, e := a.delivery.Projection, a.delivery.Envelope
	batch := &pgx.Batch{}
	for _, step := range slices.SortedFunc(slices.Values(steps), func(x, y advance) int { return cmp.Compare(x.aggregateID, y.aggregateID) }) {
		batch.Queue(sqlMoveAggregate, target.Name, target.Version, step.aggregateID, step.revision, e.EventID)
	}
	batch.Queue(sqlAddToTimeline, target.Name, target.Version, e.EventID, e.EventType, e.AggregateID, e.AggregateRevision, e.CorrelationID, e.OccurredAt)
	batch.Queue(sqlCloseGap, target.Name, target.Version, e.EventID)
	if err := a.tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("apply the event: %w", err)
	}
	return nil
}
