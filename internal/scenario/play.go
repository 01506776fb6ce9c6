package scenario

import (
	"context"
	_ "embed" // the domain's table
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/internal/consumers"
)

// Transaction is one domain transaction: the run's next state, and the events that are appended with it.
type Transaction struct {
	Name   string
	State  string
	Awaits []Await
	Events []Event

	held      bool // afterwards billing holds the finalization for its case
	committed bool // afterwards the finalization is committed
}

// Event is one event before it has an id and a time. CausedBy is the key of an earlier event of the same life.
type Event struct {
	Key         string
	Type        string
	Version     string
	AggregateID string
	Revision    int64
	Operation   string
	CausedBy    string
	Actor       string // empty: the run's own actor
	Payload     map[string]any
}

// Appended is an event as the database has stored it.
type Appended struct {
	Key           string
	Type          string
	EventID       string
	Digest        string
	DeliveryCount int
}

// Life lists the transactions of a run, in order.
func (r Run) Life() []Transaction {
	return []Transaction{
		r.admit(),
		r.finishAttempt(),
		r.observeGateway(),
		r.meter(1, "usage", Await{consumers.KindMetering, "eligibility"}, Await{consumers.KindMetering, "usage"}),
		r.closeRun(),
		r.requestCase(),
		r.meter(2, "input S1"),
		r.resolveCase(),
		r.finalize(),
		r.meter(3, "input S2"),
		r.expose(),
		r.settleLate(),
		r.meter(4, "input S3"),
		r.refund(),
	}
}

// Billing is told what billing decides in the course of a life.
type Billing interface {
	Hold(billingReservationID, caseRef string, caseGeneration int64)
	Committed(billingReservationID string)
}

// Options say how a life is played. The zero value plays it straight through.
type Options struct {
	Await   func(ctx context.Context, destination consumers.Kind, eventID string) error // nil: nothing is awaited
	Billing Billing                                                                     // nil: nobody is told
	Observe func(run Run, transaction Transaction, appended []Appended)                 // called after each commit
}

// Beginner starts transactions: a connection or a pool whose role is outbox_producer.
type Beginner interface {
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// Execer runs a statement without a result: a connection or a pool.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

//go:embed domain.sql
var domainSQL string

// Setup creates the domain's table in the producer's database.
func Setup(ctx context.Context, db Execer) error {
	if _, err := db.Exec(ctx, domainSQL); err != nil {
		return fmt.Errorf("create the domain: %w", err)
	}
	return nil
}

// Play plays the life of a run and returns its events in the order in which they were appended.
func Play(ctx context.Context, db Beginner, run Run, o Options) ([]Appended, error) {
	var life []Appended
	byKey := map[string]Appended{}
	for _, transaction := range run.Life() {
		if err := o.await(ctx, transaction, byKey); err != nil {
			return life, fmt.Errorf("run %d, before %q: %w", run.Number, transaction.Name, err)
		}
		appended, err := commit(ctx, db, run, transaction, byKey)
		if err != nil {
			return life, fmt.Errorf("run %d, %q: %w", run.Number, transaction.Name, err)
		}
		for _, event := range appended {
			byKey[event.Key] = event
		}
		life = append(life, appended...)
		o.tell(run, transaction, appended)
	}
	return life, nil
}

// await waits for what must have been consumed before a transaction.
func (o Options) await(ctx context.Context, t Transaction, earlier map[string]Appended) error {
	if o.Await == nil {
		return nil
	}
	for _, await := range t.Awaits {
		if err := o.Await(ctx, await.Destination, earlier[await.Key].EventID); err != nil {
			return err
		}
	}
	return nil
}

// tell reports a committed transaction to those who want to know.
func (o Options) tell(run Run, t Transaction, appended []Appended) {
	if o.Billing != nil && t.held {
		o.Billing.Hold(run.ReservationID, run.ReconciliationCaseRef(), 1)
	}
	if o.Billing != nil && t.committed {
		o.Billing.Committed(run.ReservationID)
	}
	if o.Observe != nil {
		o.Observe(run, t, appended)
	}
}

// commit is one domain transaction: ids and times first, then the domain's change, then the events.
func commit(ctx context.Context, db Beginner, run Run, t Transaction, earlier map[string]Appended) (appended []Appended, err error) {
	err = pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		stamps, err := draw(ctx, tx, len(t.Events))
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sqlChangeRun, run.RunID, run.ReservationID, t.State); err != nil {
			return fmt.Errorf("change the run: %w", err)
		}
		envelopes, err := run.envelopes(t.Events, stamps, earlier)
		if err != nil {
			return err
		}
		appended, err = appendAll(ctx, tx, envelopes)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, event := range t.Events {
		appended[i].Key, appended[i].Type = event.Key, event.Type
	}
	return appended, nil
}

// envelopes builds the transaction's envelopes. All ids are drawn before, so an event may be caused by one beside it.
func (r Run) envelopes(events []Event, stamps []stamp, earlier map[string]Appended) ([]string, error) {
	ids := map[string]string{}
	for i, event := range events {
		ids[event.Key] = stamps[i].eventID
	}
	envelopes := make([]string, len(events))
	for i, event := range events {
		envelope := object{
			"envelopeSchemaVersion": "1", "eventId": stamps[i].eventID, "eventType": event.Type, "eventSchemaVersion": event.Version,
			"aggregateId": event.AggregateID, "aggregateRevision": event.Revision, "actorPrincipalId": r.ActorID,
			"correlationId": r.CorrelationID, "operationId": event.Operation,
			"occurredAt": stamps[i].occurredAt, "payload": event.Payload,
		}.with(r.tenant())
		if event.Actor != "" {
			envelope["actorPrincipalId"] = event.Actor
		}
		if event.CausedBy != "" {
			cause := ids[event.CausedBy]
			if cause == "" {
				cause = earlier[event.CausedBy].EventID
			}
			envelope["causationId"] = cause
		}
		raw, err := json.Marshal(envelope)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", event.Type, err)
		}
		envelopes[i] = string(raw)
	}
	return envelopes, nil
}
