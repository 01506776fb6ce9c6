package dispatcher

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/internal/pgerr"
)

// Store calls the database's functions, one method for each, every call in a short transaction of
// its own. It holds every SQL text of the dispatcher.
//
// Transactions begin explicitly READ COMMITTED and set what they need for themselves alone, so that
// neither the defaults of the role nor what a pooler left in the session changes anything. They are
// short, so compiling their plans costs ten times what it saves. Times cross as microseconds and
// digests as hex, because the text form of both depends on settings.
type Store struct {
	pool     *pgxpool.Pool
	timeout  time.Duration
	begin    string
	readOnly bool // every transaction is
}

// NewStore gives a Store whose calls each end within the timeout. The pool's configuration must have
// been given to [Database.Prepare].
func NewStore(pool *pgxpool.Pool, timeout time.Duration) *Store {
	return &Store{pool: pool, timeout: timeout, begin: beginSQL("", timeout)}
}

func beginSQL(mode string, timeout time.Duration) string {
	return fmt.Sprintf(`begin isolation level read committed%[1]s;
set local search_path = pg_catalog, pg_temp;
set local jit = off;
set local statement_timeout = %[2]d;
set local idle_in_transaction_session_timeout = %[2]d`, mode, timeout.Milliseconds())
}

// asking gives a Store that only asks: in a read-only transaction a function judges its arguments and
// then fails before it has locked or changed anything.
func (s *Store) asking() *Store {
	return &Store{pool: s.pool, timeout: s.timeout, begin: beginSQL(" read only", s.timeout), readOnly: true}
}

// accepted takes the end of a read-only transaction for what it is, the arguments' acceptance.
func accepted(err error) error {
	if errors.Is(err, pgerr.ErrReadOnly) {
		return nil
	}
	return err
}

const claimSQL = `
select c.event_id::text as event_id,
       c.destination,
       c.consumer_name,
       c.attempt_id::text as attempt_id,
       c.lease_token,
       c.attempt_count,
       (extract(epoch from c.available_at) * 1000000)::bigint as available_micros,
       (extract(epoch from c.created_at) * 1000000)::bigint as created_micros,
       c.event_type,
       c.aggregate_id,
       c.event_envelope,
       c.event_envelope_digest_algorithm_version,
       encode(c.event_envelope_sha256, 'hex') as event_envelope_sha256,
       c.delivery_set_version,
       c.delivery_set_definition_digest_algorithm_version,
       encode(c.delivery_set_definition_digest, 'hex') as delivery_set_definition_digest,
       c.expected_receipt_type,
       c.expected_receipt_schema_version,
       c.required_projection_name,
       c.required_projection_version
from outbox.claim_deliveries(
         p_destination => $1::text,
         p_worker      => $2::text,
         p_limit       => $3::int,
         p_lease       => $4::bigint * interval '1 millisecond',
         p_after       => case
                              when $5::text is not null then
                                  row(timestamptz 'epoch' + $6::bigint * interval '1 microsecond',
                                      timestamptz 'epoch' + $7::bigint * interval '1 microsecond',
                                      $5::uuid)::outbox.claim_position
                          end,
         p_max_bytes   => $8::bigint) as c`

// claimRequest is what one claim asks for.
type claimRequest struct {
	destination string
	worker      string
	limit       int
	lease       time.Duration
	after       *position // nil: no hint
	maxBytes    int64
}

// Claim calls outbox.claim_deliveries.
func (s *Store) Claim(ctx context.Context, r claimRequest) ([]Claimed, error) {
	var eventID *string
	var available, created int64
	if r.after != nil {
		eventID, available, created = &r.after.eventID, r.after.available, r.after.created
	}
	return query[Claimed](ctx, s, claimSQL, r.destination, r.worker, r.limit, r.lease.Milliseconds(),
		eventID, available, created, r.maxBytes)
}

// AskClaim tells whether the database would take this claim. It claims nothing.
func (s *Store) AskClaim(ctx context.Context, r claimRequest) error {
	_, err := s.asking().Claim(ctx, r)
	return accepted(err)
}

const settledColumns = `
select s.result,
       coalesce(s.detail, '') as detail
from `

// Renew calls outbox.renew_leases. The answer has one row for each fence, in order.
func (s *Store) Renew(ctx context.Context, fences []Fence, lease time.Duration) ([]Settled, error) {
	items, err := jsonText(fences)
	if err != nil {
		return nil, err
	}
	rows, err := query[Settled](ctx, s, settledColumns+`
outbox.renew_leases(p_leases => $1::json, p_lease => $2::bigint * interval '1 millisecond') as s
order by s.item`, items, lease.Milliseconds())
	return complete(rows, len(fences), err)
}

// Settle calls outbox.settle_attempts. The answer has one row for each outcome, in order.
func (s *Store) Settle(ctx context.Context, outcomes []Outcome) ([]Settled, error) {
	items, err := jsonText(outcomes)
	if err != nil {
		return nil, err
	}
	rows, err := query[Settled](ctx, s, settledColumns+`
outbox.settle_attempts(p_outcomes => $1::json) as s
order by s.item`, items)
	return complete(rows, len(outcomes), err)
}

// Recover calls outbox.recover_expired_leases.
func (s *Store) Recover(ctx context.Context, limit int, delay time.Duration) ([]Recovered, error) {
	return query[Recovered](ctx, s, `
select r.event_id::text as event_id,
       r.destination,
       r.attempt_id::text as attempt_id
from outbox.recover_expired_leases(
         p_limit => $1::int,
         p_delay => $2::bigint * interval '1 millisecond') as r`, limit, delay.Milliseconds())
}

// AskRecover tells whether the database would take this recovery. It recovers nothing.
func (s *Store) AskRecover(ctx context.Context, limit int, delay time.Duration) error {
	_, err := s.asking().Recover(ctx, limit, delay)
	return accepted(err)
}

// AskDelay tells whether the database would let a retry wait so long. It settles an attempt that there
// is not, which changes nothing.
func (s *Store) AskDelay(ctx context.Context, destination string, delay time.Duration) error {
	const nobody = "00000000-0000-0000-0000-000000000000"
	ms := delay.Milliseconds()
	rows, err := s.Settle(ctx, []Outcome{{
		Fence: Fence{EventID: nobody, Destination: destination, AttemptID: nobody, LeaseToken: 1},
		Kind:  Retryable, Code: codeReleasedUnsent, DelayMs: &ms,
	}})
	if err == nil && rows[0].Result == resultInvalid {
		return fmt.Errorf("%w: %s", errRefusedDelay, rows[0].Detail)
	}
	return err
}

// MayDispatch tells whether the login may call the dispatcher's functions.
func (s *Store) MayDispatch(ctx context.Context) (bool, error) {
	rows, err := query[struct{ Allowed bool }](ctx, s, `
select bool_and(has_function_privilege(p.oid, 'execute')) as allowed
from pg_proc as p
where p.pronamespace = to_regnamespace('outbox')
  and p.proname in ('claim_deliveries', 'renew_leases', 'settle_attempts', 'recover_expired_leases')
having count(*) > 0`)
	return len(rows) == 1 && rows[0].Allowed, err
}

// query runs one statement in a transaction and gives its rows once the transaction has committed.
func query[T any](ctx context.Context, s *Store, sql string, args ...any) ([]T, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, errDatabaseSlow)
	defer cancel()
	var rows []T
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{BeginQuery: s.begin}, func(tx pgx.Tx) error {
		answer, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return fmt.Errorf("query: %w", err)
		}
		rows, err = pgx.CollectRows(answer, pgx.RowToStructByName[T])
		return err
	})
	if err == nil {
		return rows, nil
	}
	err = pgerr.Translate(err)
	if errors.Is(err, pgerr.ErrReadOnly) && !s.readOnly {
		s.pool.Reset() // a standby since a failover: new connections may find the new primary
	}
	return nil, err
}

// complete refuses an answer that does not speak of every item.
func complete(rows []Settled, items int, err error) ([]Settled, error) {
	if err == nil && len(rows) != items {
		return nil, fmt.Errorf("%d rows answer %d items: %w", len(rows), items, errProtocol)
	}
	return rows, err
}

// jsonText encodes without rewriting the characters of a consumer's receipt.
func jsonText(items any) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(items); err != nil {
		return "", fmt.Errorf("encode for the database: %w", err)
	}
	return text.String(), nil
}
