package scenario

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// All SQL of the scenario.
const (
	sqlDraw = `
select outbox.new_event_id()::text, outbox.rfc3339(clock_timestamp())
from generate_series(1, $1::int)`

	sqlChangeRun = `
insert into domain_demo.runs (run_id, billing_reservation_id, state)
values ($1, $2, $3)
on conflict (run_id) do update
set state = excluded.state, changes = runs.changes + 1, changed_at = clock_timestamp()`

	sqlAppendOne = `
select a.event_id::text, encode(a.event_envelope_sha256, 'hex'), a.delivery_count
from outbox.append_event($1::json) as a`

	sqlAppendMany = `
select a.event_id::text, encode(a.event_envelope_sha256, 'hex'), a.delivery_count
from outbox.append_events($1::text[]::json[]) as a
order by a.item`
)

// stamp is what the database gives an event: its id and its time.
type stamp struct {
	eventID    string
	occurredAt string
}

func draw(ctx context.Context, tx pgx.Tx, n int) ([]stamp, error) {
	rows, err := tx.Query(ctx, sqlDraw, n)
	if err != nil {
		return nil, fmt.Errorf("draw event ids: %w", err)
	}
	stamps, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (s stamp, err error) {
		return s, row.Scan(&s.eventID, &s.occurredAt)
	})
	if err != nil {
		return nil, fmt.Errorf("draw event ids: %w", err)
	}
	return stamps, nil
}

// appendAll appends one event by itself and several as one set, as a producer would.
func appendAll(ctx context.Context, tx pgx.Tx, envelopes []string) ([]Appended, error) {
	sql, argument := sqlAppendMany, any(envelopes)
	if len(envelopes) == 1 {
		sql, argument = sqlAppendOne, envelopes[0]
	}
	rows, err := tx.Query(ctx, sql, argument)
	if err != nil {
		return nil, fmt.Errorf("append: %w", err)
	}
	appended, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a Appended, err error) {
		return a, row.Scan(&a.EventID, &a.Digest, &a.DeliveryCount)
	})
	if err != nil {
		return nil, fmt.Errorf("append: %w", err)
	}
	if len(appended) != len(envelopes) {
		return nil, fmt.Errorf("append: %d events went in, %d came back", len(envelopes), len(appended))
	}
	return appended, nil
}
