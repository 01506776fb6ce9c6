package delivery_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

const (
	settleSQL  = "select result from outbox.settle_attempts($1::text::json)"
	renewSQL   = "select result from outbox.renew_leases($1::text::json, '60 s')"
	recoverSQL = "select attempt_id::text from outbox.recover_expired_leases(1000)"
	claimSQL   = "select event_id::text from outbox.claim_deliveries($1, 'another-worker', $2, '60 s')"
)

// texts runs a query with one text column. It reports an error instead of ending the test, so that it can run beside one.
func texts(ctx context.Context, db tap.Querier, sql string, args ...any) ([]string, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// call is a statement on its way in a session of its own.
type call struct {
	done  chan struct{}
	texts []string
	err   error
}

// start sends a statement with one text column and does not wait for its answer.
func start(t *testing.T, db tap.Querier, sql string, args ...any) *call {
	t.Helper()
	c := &call{done: make(chan struct{})}
	ctx := t.Context()
	go func() {
		defer close(c.done)
		c.texts, c.err = texts(ctx, db, sql, args...)
	}()
	return c
}

// answer waits for the answer, which must be these texts.
func (c *call) answer(t *testing.T, want ...string) {
	t.Helper()
	<-c.done
	if c.err != nil {
		t.Fatalf("the waiting statement failed: %v", c.err)
	}
	tap.Is(t, fmt.Sprint(c.texts), fmt.Sprint(want), "answer of the waiting statement")
}

// renew renews leases and returns the results.
func renew(t *testing.T, db tap.Querier, items ...string) []string {
	t.Helper()
	return tap.Column[string](t, db, renewSQL, fixture.Array(items...))
}
