// Package inbox holds the consumer's side to what it promises: one receipt for life, and the first one always.
package inbox_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

const (
	recordSQL = "select result from inbox.record_receipt($1, $2::text::json)"
	rawSQL    = "select result, receipt from inbox.record_receipt($1, $2::text::json)"
)

// receiptTypes are those of the first release, by destination.
var receiptTypes = map[string]string{
	fixture.Operations:  contracts.OperationsProjectionAppliedReceipt,
	fixture.Metering:    contracts.MeteringInputProcessorConsumerReceipt,
	fixture.Coordinator: contracts.BillingFinalizationCoordinatorConsumerReceipt,
	fixture.CatchUp:     contracts.BillingSettlementCatchUpConsumerReceipt,
}

const someDigest = "00000000000000000000000000000000000000000000000000000000000000ff"

// candidate is what a consumer records for an event that it sees for the first time: a receipt without reference, digest
// and time. Members may be changed, or left out with nil.
func candidate(destination, eventID string, changes fixture.Object) fixture.Object {
	digest, err := hex.DecodeString(someDigest)
	if err != nil {
		panic(err) // a constant of this package
	}
	members := fixture.Candidate(fixture.Delivered(destination, eventID, digest))
	for name, value := range changes {
		if value == nil {
			delete(members, name)
			continue
		}
		members[name] = value
	}
	return members
}

func asJSON(t *testing.T, object fixture.Object) string {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// recorded is an answer of the inbox.
type recorded struct {
	Result  string
	Receipt string
	members fixture.Object
}

// record records a candidate that must be accepted.
func record(t *testing.T, db tap.Querier, destination string, candidate fixture.Object) recorded {
	t.Helper()
	var r recorded
	if err := db.QueryRow(t.Context(), rawSQL, receiptTypes[destination], asJSON(t, candidate)).Scan(&r.Result, &r.Receipt); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(r.Receipt), &r.members); err != nil {
		t.Fatal(err)
	}
	return r
}

func begin(t *testing.T, conn *pgx.Conn, level pgx.TxIsoLevel) pgx.Tx {
	t.Helper()
	tx, err := conn.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // no effect when it has ended
	return tx
}

func end(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func digestOf(t *testing.T, destination, receipt string) string {
	t.Helper()
	digest, err := fixture.Schemas().Digest(contracts.ReceiptSchema(receiptTypes[destination], "1"), []byte(receipt))
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(digest[:])
}
