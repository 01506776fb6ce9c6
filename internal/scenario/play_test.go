package scenario

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// openDomain is an active producer's database with the domain's table: its admin, and a login that may only produce.
func openDomain(t *testing.T) (admin, producer *pgx.Conn) {
	t.Helper()
	t.Parallel()
	db := testdb.NewActive(t)
	admin = db.Conn(t)
	if err := Setup(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	return admin, db.Login(t, "outbox_producer")
}

func TestPlayAppendsALife(t *testing.T) {
	admin, producer := openDomain(t)
	run := newRun(t, "play", 1)
	life, err := Play(t.Context(), producer, run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	deliveries := 0
	for _, event := range life {
		deliveries += event.DeliveryCount
		tap.RowEq(t, admin, tap.Row{event.Type, event.Digest},
			"select event_type, encode(event_envelope_sha256, 'hex') from outbox.events where event_id = $1::uuid", event.EventID)
	}
	tap.Is(t, len(life), 18, "events of a life")
	tap.Is(t, deliveries, 19, "deliveries of a life")
	tap.ResultsEq(t, admin, tap.Rows{{int64(18), int64(13), int64(19)}}, `
select count(*), count(distinct event_type), (select count(*) from outbox.deliveries) from outbox.events`)
	tap.ResultsEq(t, admin, tap.Rows{{run.RunID, "settled", len(run.Life())}},
		"select run_id, state, changes::int from domain_demo.runs")
	tap.IsEmpty(t, admin, "select from outbox.verify(p_canonical => true)")
}

func TestRefusedEventLeavesTheDomainAsItWas(t *testing.T) {
	admin, producer := openDomain(t)
	run := newRun(t, "play", 2)
	refused := run.admit()
	refused.Events[1].Type = "wallet.reserved@3.0"
	if _, err := commit(t.Context(), producer, run, refused, nil); err == nil {
		t.Fatal("an event without a delivery set was accepted")
	}
	tap.IsEmpty(t, admin, "select from domain_demo.runs")
	tap.IsEmpty(t, admin, "select from outbox.events")
}

func TestPlayAwaitsAndTells(t *testing.T) {
	_, producer := openDomain(t)
	run := newRun(t, "play", 3)
	ledger := &ledger{}
	stop := errors.New("stop")
	_, err := Play(t.Context(), producer, run, Options{
		Billing: ledger,
		Observe: func(_ Run, transaction Transaction, _ []Appended) { ledger.add(transaction.Name) },
		Await: func(_ context.Context, destination consumers.Kind, eventID string) error {
			ledger.add("await " + string(destination))
			if eventID == "" {
				t.Error("an event without an id is awaited")
			}
			if destination == consumers.KindOperations {
				return stop
			}
			return nil
		},
	})
	if !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	tap.Is(t, ledger.text, "admit the run;finish the attempt;observe the gateway;await metering_input_processor;"+
		"await metering_input_processor;meter input S1;close the run;await billing_finalization_coordinator;"+
		"await billing_settlement_catch_up;hold "+run.ReconciliationCaseRef()+";request a reconciliation;meter input S2;"+
		"await core_operations;", "what happened")
}

// ledger notes in one text what it is told.
type ledger struct{ text string }

func (l *ledger) add(entry string)                      { l.text += entry + ";" }
func (l *ledger) Hold(_, caseRef string, _ int64)       { l.add("hold " + caseRef) }
func (l *ledger) Committed(billingReservationID string) { l.add("committed " + billingReservationID) }
