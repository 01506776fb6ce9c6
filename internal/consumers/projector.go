package consumers

import (
	"context"
	_ "embed" // the projection's tables
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/pgerr"
)

// ProjectorOptions are the parts of a projector that a caller may choose.
type ProjectorOptions struct {
	Faults  *Faults                                // nil: never misbehaves
	Observe func(destination Kind, eventID string) // called once for each event, when its receipt is committed
	Timeout time.Duration                          // of one transaction; 0: ten seconds
	Schemas *contracts.Registry                    // judge what it is sent; nil: loads them
}

// Projector is the operations projector: a consumer whose projection and receipts live in PostgreSQL.
type Projector struct {
	pool    *pgxpool.Pool
	options ProjectorOptions
	member  member
}

//go:embed projection.sql
var projectionSQL string

// Execer runs a statement without a result: a connection or a pool.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// SetupProjection creates the projection's tables in the consumer's own database, which must have the schema inbox.
func SetupProjection(ctx context.Context, db Execer) error {
	if _, err := db.Exec(ctx, projectionSQL); err != nil {
		return fmt.Errorf("create the projection: %w", err)
	}
	return nil
}

// NewProjector returns the operations projector on a pool of the consumer's own database. The pool's role must be
// outbox_consumer, or a member of it.
func NewProjector(pool *pgxpool.Pool, options ProjectorOptions) (*Projector, error) {
	if options.Timeout <= 0 {
		options.Timeout = 10 * time.Second
	}
	m, err := bound(KindOperations, options.Schemas)
	if err != nil {
		return nil, err
	}
	return &Projector{pool: pool, options: options, member: m}, nil
}

// ServeHTTP answers one delivery.
func (p *Projector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	serve(w, r, p.member, p.options.Faults, p.apply)
}

// apply commits the event and its receipt, even if the caller has gone meanwhile, and returns the answer.
func (p *Projector) apply(d Delivery) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Timeout)
	defer cancel()
	receipt, inserted, err := p.project(ctx, d)
	if err != nil {
		return nil, err
	}
	if inserted && p.options.Observe != nil {
		p.options.Observe(KindOperations, d.Envelope.EventID)
	}
	return acknowledgement(p.member, receipt)
}

// project is the one transaction of a delivery: revisions, receipt, timeline. A revision gap is committed without a
// receipt; everything else that goes wrong leaves nothing behind.
func (p *Projector) project(ctx context.Context, d Delivery) (receipt []byte, inserted bool, err error) {
	ids := identities{p.member.schemas}
	if err := verifyIdentities(ids, d.Envelope); err != nil {
		return nil, false, err
	}
	steps, err := advances(ids, d.Envelope)
	if err != nil {
		return nil, false, nonRetryable("event_unprocessable", err.Error())
	}
	tx, err := p.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return nil, false, translate(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // after a commit it does nothing
	a := application{tx: tx, delivery: d}
	receipt, inserted, err = a.apply(ctx, steps)
	if gap := (*refusal)(nil); errors.As(err, &gap) && gap.code == "revision_gap" {
		if commitErr := tx.Commit(ctx); commitErr != nil {
			return nil, false, translate(commitErr)
		}
		return nil, false, gap
	}
	if err != nil {
		return nil, false, translate(err)
	}
	if err := tx.Commit(ctx); err != nil {
		return nil, false, translate(err)
	}
	return receipt, inserted, nil
}

// translate maps what the consumer's database answered to the verdict that it stands for. Only a digest that differs
// from the first receipt's is the event's fault; everything else may pass.
func translate(err error) error {
	var r *refusal
	switch err = pgerr.Translate(err); {
	case errors.As(err, &r):
		return r
	case errors.Is(err, pgerr.ErrDigestMismatch):
		return nonRetryable("payload_digest_conflict", err.Error())
	}
	return retryable(http.StatusServiceUnavailable, "dependency_unavailable", err.Error())
}
