package dispatcher

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oceanway/outbox/contracts"
)

// row is one delivery of fakeDB.
type row struct {
	Claimed
	status    string // pending, leased, acknowledged, quarantined
	available time.Time
	expires   time.Time
	attempts  []string          // every attempt id
	finishes  map[string]string // by attempt id: what it was finished as
}

// fakeDB is as much of the database as a dispatcher can see, in memory, with faults on request.
type fakeDB struct {
	mu     sync.Mutex
	rows   []*row
	tokens int64
	claims []claimRequest
	// fault may fail a call by name before it does anything.
	fault func(call string) error
	// refuse may fail a whole settle call for what is in it.
	refuse func([]Outcome) error
	// refuseRenewal may fail a whole renewal for what is in it.
	refuseRenewal func([]Fence) error
	// lost may lose the response of a call that has taken effect.
	lost func(call string) error
	// judge may give the result of an outcome instead of recording it.
	judge   func(o Outcome) (result, detail string)
	changed chan struct{}
}

var errConnectionLost = fmt.Errorf("connection lost: %w", io.ErrUnexpectedEOF)

func newFakeDB() *fakeDB { return &fakeDB{changed: make(chan struct{}, 1)} }

// add appends n events for one destination.
func (db *fakeDB) add(destination string, n int) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for range n {
		id := fmt.Sprintf("00000000-0000-7000-8000-%012d", len(db.rows))
		envelope := fmt.Sprintf(`{"eventId":%q,"occurredAt":"2026-11-01T00:00:00.5Z","payload":{}}`, id)
		sum := contracts.Sum([]byte(envelope))
		db.rows = append(db.rows, &row{
			Claimed: Claimed{
				EventID: id, Destination: destination, ConsumerName: "operations_projector", EventType: "run.created@2.0",
				AggregateID: "run 1", CreatedMicros: int64(len(db.rows)), EventEnvelope: []byte(envelope),
				EventEnvelopeDigestAlgorithmVersion: contracts.DigestAlgorithm, EventEnvelopeSha256: hex.EncodeToString(sum[:]),
				DeliverySetVersion: "set-1", DeliverySetDefinitionDigestAlgorithmVersion: contracts.DigestAlgorithm,
				DeliverySetDefinitionDigest: strings.Repeat("ab", 32),
				ExpectedReceiptType:         operationsReceipt, ExpectedReceiptSchemaVersion: "1",
			},
			status: "pending", available: time.Now(), finishes: map[string]string{},
		})
	}
}

func (db *fakeDB) call(name string) error {
	if db.fault != nil {
		return db.fault(name)
	}
	return nil
}

func (db *fakeDB) answer(name string) error {
	select {
	case db.changed <- struct{}{}:
	default:
	}
	if db.lost != nil {
		return db.lost(name)
	}
	return nil
}

func (db *fakeDB) Claim(ctx context.Context, r claimRequest) ([]Claimed, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.claims = append(db.claims, r)
	if err := errors.Join(ctx.Err(), db.call("claim")); err != nil {
		return nil, err
	}
	var batch []Claimed
	for _, d := range db.rows {
		claimable := d.status == "pending" || (d.status == "leased" && d.expires.IsZero())
		if d.Destination != r.destination || !claimable || d.available.After(time.Now()) || len(batch) == r.limit {
			continue
		}
		if r.after != nil && d.CreatedMicros <= r.after.created {
			continue
		}
		db.tokens++
		d.status, d.expires, d.LeaseToken = "leased", time.Now().Add(r.lease), db.tokens
		d.AttemptID = fmt.Sprintf("attempt-%d", db.tokens)
		d.AttemptCount++
		d.attempts = append(d.attempts, d.AttemptID)
		batch = append(batch, d.Claimed)
	}
	return batch, db.answer("claim")
}

func (db *fakeDB) find(f Fence) *row {
	for _, d := range db.rows {
		if d.EventID == f.EventID && d.Destination == f.Destination {
			return d
		}
	}
	return nil
}

func (d *row) current(f Fence) bool {
	return d != nil && d.status == "leased" && !d.expires.IsZero() && d.AttemptID == f.AttemptID && d.LeaseToken == f.LeaseToken
}

func (db *fakeDB) Renew(ctx context.Context, fences []Fence, lease time.Duration) ([]Settled, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := errors.Join(ctx.Err(), db.call("renew")); err != nil {
		return nil, err
	}
	if db.refuseRenewal != nil {
		if err := db.refuseRenewal(fences); err != nil {
			return nil, err
		}
	}
	rows := make([]Settled, len(fences))
	for i, f := range fences {
		rows[i].Result = resultStale
		if d := db.find(f); d.current(f) {
			d.expires, rows[i].Result = time.Now().Add(lease), resultRenewed
		}
	}
	return rows, db.answer("renew")
}

func (db *fakeDB) Settle(ctx context.Context, outcomes []Outcome) ([]Settled, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := errors.Join(ctx.Err(), db.call("settle")); err != nil {
		return nil, err
	}
	if db.refuse != nil {
		if err := db.refuse(outcomes); err != nil {
			return nil, err
		}
	}
	rows := make([]Settled, len(outcomes))
	for i, o := range outcomes {
		rows[i] = db.settleOne(o)
	}
	return rows, db.answer("settle")
}

func (db *fakeDB) settleOne(o Outcome) Settled {
	d := db.find(o.Fence)
	if db.judge != nil {
		if result, detail := db.judge(o); result != "" {
			return Settled{Result: result, Detail: detail}
		}
	}
	finish := string(o.Kind) + " " + o.Code
	if d != nil && d.finishes[o.AttemptID] == finish {
		return Settled{Result: "already_settled"}
	}
	if !d.current(o.Fence) {
		return Settled{Result: resultStale}
	}
	d.finishes[o.AttemptID] = finish
	d.expires = time.Time{}
	switch o.Kind {
	case Acknowledged:
		d.status = "acknowledged"
		return Settled{Result: "complete"}
	case NonRetryable:
		d.status = "quarantined"
		return Settled{Result: resultQuarantined}
	default:
		d.status, d.available = "pending", time.Now().Add(time.Duration(*o.DelayMs)*time.Millisecond)
		return Settled{Result: "retry_scheduled"}
	}
}

func (db *fakeDB) Recover(ctx context.Context, limit int, delay time.Duration) ([]Recovered, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := errors.Join(ctx.Err(), db.call("recover")); err != nil {
		return nil, err
	}
	var rows []Recovered
	for _, d := range db.rows {
		if d.status == "leased" && !d.expires.IsZero() && !d.expires.After(time.Now()) && len(rows) < limit {
			d.finishes[d.AttemptID] = "lease_expired_unknown"
			d.expires, d.available = time.Time{}, time.Now().Add(delay)
			rows = append(rows, Recovered{EventID: d.EventID, Destination: d.Destination, AttemptID: d.AttemptID})
		}
	}
	return rows, db.answer("recover")
}

// ask answers every question about the configuration alike.
func (db *fakeDB) ask(ctx context.Context) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return errors.Join(ctx.Err(), db.call("ask"))
}

func (db *fakeDB) AskClaim(ctx context.Context, _ claimRequest) error            { return db.ask(ctx) }
func (db *fakeDB) AskRecover(ctx context.Context, _ int, _ time.Duration) error  { return db.ask(ctx) }
func (db *fakeDB) AskDelay(ctx context.Context, _ string, _ time.Duration) error { return db.ask(ctx) }

// count gives how many deliveries of a destination are in one of these states.
func (db *fakeDB) count(destination string, states ...string) int {
	db.mu.Lock()
	defer db.mu.Unlock()
	n := 0
	for _, d := range db.rows {
		if d.Destination == destination && slices.Contains(states, d.status) {
			n++
		}
	}
	return n
}

// set changes the database's faults while it is in use.
func (db *fakeDB) set(change func(*fakeDB)) {
	db.mu.Lock()
	defer db.mu.Unlock()
	change(db)
}

// until waits for something to become true of the database.
func (db *fakeDB) until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	limit := time.NewTimer(24 * time.Hour) // of a synctest bubble
	defer limit.Stop()
	for !condition() {
		select {
		case <-db.changed:
		case <-limit.C:
			t.Fatalf("never became true: %s", what)
		}
	}
}

// finished gives what an attempt was finished as, "" while it is not.
func (db *fakeDB) finished(attemptID string) string {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, d := range db.rows {
		if finish := d.finishes[attemptID]; finish != "" {
			return finish
		}
	}
	return ""
}
