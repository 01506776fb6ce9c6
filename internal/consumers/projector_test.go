package consumers_test

import (
	"bytes"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/internal/scenario"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// theatre is a consumer's own database with a projector on it.
type theatre struct {
	db        *testdb.DB
	admin     *pgx.Conn
	projector http.Handler
	tracker   *consumers.Tracker
	pool      *pgxpool.Pool
}

func openTheatre(t *testing.T, faults *consumers.Faults) theatre {
	t.Helper()
	t.Parallel()
	db := testdb.New(t)
	admin := db.Conn(t)
	if err := consumers.SetupProjection(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	tracker, pool := consumers.NewTracker(), db.LoginPool(t, "outbox_consumer")
	projector, err := consumers.NewProjector(pool, consumers.ProjectorOptions{Faults: faults, Observe: tracker.Observe, Schemas: released()})
	if err != nil {
		t.Fatal(err)
	}
	return theatre{db: db, admin: admin, projector: projector, tracker: tracker, pool: pool}
}

func operations(t *testing.T, run scenario.Run, key string, change func(map[string]any)) letter {
	t.Helper()
	return write(t, consumers.KindOperations, run, key, change)
}

// underProjection is the same letter for another projection target.
func (l letter) underProjection(target string) letter {
	l.projection = target
	return l
}

func TestProjectorAppliesAndAcknowledges(t *testing.T) {
	th := openTheatre(t, nil)
	l := operations(t, newRun(t, "projector", 1), "run", nil)
	receipt := acknowledged(t, th.projector, l)
	wantFields(t, receipt, `operationsProjectionAppliedReceipt* destination consumerName projectionName projectionVersion
		eventId eventType eventSchemaVersion eventEnvelopeDigestAlgorithmVersion eventEnvelopeSha256 appliedAt`)
	equal(t, "projection", receipt["projectionName"], any("operations_read_model"))
	tap.ResultsEq(t, th.admin, tap.Rows{{l.eventID, "run.created@2.0", int64(1)}},
		"select event_id::text, event_type, aggregate_revision from operations_demo.timeline")
	tap.ResultsEq(t, th.admin, tap.Rows{{l.eventID, receipt["operationsProjectionAppliedReceiptRef"]}},
		"select event_id::text, receipt_ref from inbox.receipts")
}

func TestProjectorRepeatsItsFirstReceipt(t *testing.T) {
	th := openTheatre(t, nil)
	l := operations(t, newRun(t, "projector", 2), "wallet", nil)
	answers := make([][]byte, 8)
	var calls sync.WaitGroup
	for i := range answers {
		calls.Go(func() { _, answers[i] = post(t, th.projector, l) })
	}
	calls.Wait()
	for _, answer := range answers[1:] {
		if !bytes.Equal(answers[0], answer) {
			t.Errorf("first %s\nlater %s", answers[0], answer)
		}
	}
	equal(t, "applied", th.tracker.Times(consumers.KindOperations, l.eventID), 1)
	tap.ResultsEq(t, th.admin, tap.Rows{{int64(1)}}, "select count(*) from operations_demo.timeline")
}

func TestRevisionGapIsKeptWithoutReceipt(t *testing.T) {
	th := openTheatre(t, nil)
	run := newRun(t, "projector", 3)
	late := operations(t, run, "finalization", nil)
	refused(t, th.projector, late, "retryable", "revision_gap")
	tap.IsEmpty(t, th.admin, "select from inbox.receipts")
	tap.IsEmpty(t, th.admin, "select from operations_demo.timeline")
	tap.ResultsEq(t, th.admin, tap.Rows{{run.ReservationID, int64(0), int64(2)}},
		"select aggregate_id, revision_held, revision_offered from operations_demo.gaps where closed_at is null")

	acknowledged(t, th.projector, operations(t, run, "wallet", nil))
	acknowledged(t, th.projector, late)
	tap.IsEmpty(t, th.admin, "select from operations_demo.gaps where closed_at is null")
	tap.ResultsEq(t, th.admin, tap.Rows{{int64(2)}},
		"select revision from operations_demo.aggregates where aggregate_id = $1", run.ReservationID)
}

func TestTransitionWaitsForItsFinalization(t *testing.T) {
	th := openTheatre(t, nil)
	run := newRun(t, "projector", 4)
	refused(t, th.projector, operations(t, run, "transition 1", nil), "retryable", "revision_gap")
	acknowledged(t, th.projector, operations(t, run, "wallet", nil))
	acknowledged(t, th.projector, operations(t, run, "finalization", nil))
	refused(t, th.projector, operations(t, run, "late result", nil), "retryable", "revision_gap")
	acknowledged(t, th.projector, operations(t, run, "transition 1", nil))
	acknowledged(t, th.projector, operations(t, run, "late result", nil))
	tap.ResultsEq(t, th.admin, tap.Rows{{int64(3)}},
		"select revision from operations_demo.aggregates where aggregate_id = $1", run.DimensionID())
}

func TestProjectorRefusesConflicts(t *testing.T) {
	th := openTheatre(t, nil)
	run := newRun(t, "projector", 5)
	acknowledged(t, th.projector, operations(t, run, "run", nil))
	refused(t, th.projector, operations(t, run, "run", func(e map[string]any) { e["occurredAt"] = "2026-11-30T10:11:13Z" }),
		"non_retryable", "payload_digest_conflict")
	refused(t, th.projector, operations(t, run, "run", func(e map[string]any) { e["eventId"] = "0197f000-0000-7000-8000-000000000009" }),
		"non_retryable", "identity_conflict")
	refused(t, th.projector, operations(t, run, "finalization", func(e map[string]any) {
		e["payload"].(map[string]any)["dimensionCommitments"] = "none"
	}), "non_retryable", "event_unprocessable")
	tap.ResultsEq(t, th.admin, tap.Rows{{int64(1)}}, "select count(*) from inbox.receipts")
}

func TestProjectionTargetIsNeverInferred(t *testing.T) {
	th := openTheatre(t, nil)
	l := operations(t, newRun(t, "projector", 6), "run", nil)
	first := acknowledged(t, th.projector, l)
	shadow := acknowledged(t, th.projector, l.underProjection("operations_read_model;2"))
	equal(t, "version", shadow["projectionVersion"], any("2"))
	if first["operationsProjectionAppliedReceiptRef"] == shadow["operationsProjectionAppliedReceiptRef"] {
		t.Error("two projections share a receipt")
	}
	for _, target := range []string{
		"", "operations_read_model", ";1", "operations_read_model;", "operations_read_model;1;2", "operations%;1", "a;%", "%FF;1",
	} {
		status, _ := post(t, th.projector, l.underProjection(target))
		equal(t, "status of target "+target, status, http.StatusBadRequest)
	}
	tap.ResultsEq(t, th.admin, tap.Rows{{"1", int64(1)}, {"2", int64(1)}},
		"select projection_version, count(*) from operations_demo.timeline group by 1 order by 1")
}

func TestProjectorCommitsBeforeItLosesTheAnswer(t *testing.T) {
	faults := &consumers.Faults{}
	faults.Add(consumers.Rule{Action: consumers.DropAfter, Times: 1})
	th := openTheatre(t, faults)
	l := operations(t, newRun(t, "projector", 7), "run", nil)
	func() {
		defer func() { equal(t, "panic", recover(), any(http.ErrAbortHandler)) }()
		post(t, th.projector, l)
	}()
	acknowledged(t, th.projector, l)
	equal(t, "applied", th.tracker.Times(consumers.KindOperations, l.eventID), 1)
}

func TestProjectorWithoutDatabaseIsRetryable(t *testing.T) {
	th := openTheatre(t, nil)
	th.pool.Close()
	refused(t, th.projector, operations(t, newRun(t, "projector", 8), "run", nil), "retryable", "dependency_unavailable")
}
