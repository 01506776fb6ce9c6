package inbox_test

import (
	"encoding/hex"
	"maps"
	"strings"
	"testing"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// directed is a directed read: the quadruple that names a receipt, and the identity that it must have.
type directed struct {
	receiptType, ref, version, algorithm string
	digest                               []byte
	expected                             fixture.Object
}

const readSQL = "select result, receipt from inbox.read_receipt($1, $2, $3, $4, $5, $6::text::json)"

func (r directed) arguments(t *testing.T) []any {
	t.Helper()
	return []any{r.receiptType, r.ref, r.version, r.algorithm, r.digest, asJSON(t, r.expected)}
}

// readOf is the directed read that finds a receipt.
func readOf(t *testing.T, destination string, receipt fixture.Object) directed {
	t.Helper()
	prefix := contracts.ReceiptPrefix(receiptTypes[destination])
	digest, err := hex.DecodeString(receipt[prefix+"Digest"].(string))
	end(t, err)
	r := directed{
		receiptType: receiptTypes[destination], ref: receipt[prefix+"Ref"].(string), version: "1", algorithm: contracts.DigestAlgorithm,
		digest: digest, expected: fixture.Object{},
	}
	for _, member := range []string{"destination", "consumerName", "eventId", "eventEnvelopeDigestAlgorithmVersion", "eventEnvelopeSha256"} {
		r.expected[member] = receipt[member]
	}
	return r
}

func TestReceiptIsFoundByItsQuadrupleAndIdentity(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	for destination := range receiptTypes {
		given := record(t, consumer, destination, candidate(destination, fixture.NewID(), nil))
		read := readOf(t, destination, given.members)
		tap.RowEq(t, consumer, tap.Row{"found", given.Receipt}, readSQL, read.arguments(t)...)
		version := contracts.ReceiptPrefix(receiptTypes[destination]) + "SchemaVersion"
		read.expected[version] = given.members[version] // more may be expected
		tap.RowEq(t, consumer, tap.Row{"found", given.Receipt}, readSQL, read.arguments(t)...)
	}
}

func TestReceiptThatWasNeverGivenIsNotFound(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	given := record(t, consumer, fixture.Operations, candidate(fixture.Operations, fixture.NewID(), nil))
	read := readOf(t, fixture.Operations, given.members)
	for _, ref := range []string{"", "operationsProjectionAppliedReceipt:" + fixture.NewID(), strings.ToUpper(read.ref), "%"} {
		read.ref = ref
		tap.RowEq(t, consumer, tap.Row{"not_found", nil}, readSQL, read.arguments(t)...)
	}
}

func TestReceiptUnderAnotherQuadrupleOrIdentityIsConflicting(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	given := record(t, consumer, fixture.Operations, candidate(fixture.Operations, fixture.NewID(), nil))
	whole := readOf(t, fixture.Operations, given.members)
	conflicts := map[string]func(*directed){
		"type":           func(r *directed) { r.receiptType = receiptTypes[fixture.Metering] },
		"version":        func(r *directed) { r.version = "2" },
		"algorithm":      func(r *directed) { r.algorithm = "jcs-sha256-v2" },
		"digest":         func(r *directed) { r.digest = []byte(strings.Repeat("x", 32)) },
		"digest missing": func(r *directed) { r.digest = nil },
	}
	for member := range whole.expected {
		conflicts["expected "+member] = func(r *directed) { r.expected[member] = "another" }
	}
	more := fixture.Object{"projectionName": "operations_read_model_shadow", "projectionVersion": "2", "eventType": "x", "unknown": nil}
	for member, value := range more {
		conflicts["expected "+member] = func(r *directed) { r.expected[member] = value }
	}
	for name, change := range conflicts {
		t.Run(name, func(t *testing.T) {
			read := whole
			read.expected = maps.Clone(whole.expected)
			change(&read)
			tap.RowEq(t, consumer, tap.Row{"conflicting", nil}, readSQL, read.arguments(t)...)
		})
	}
}

func TestReadNeedsTheWholeIdentity(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	given := record(t, consumer, fixture.Operations, candidate(fixture.Operations, fixture.NewID(), nil))
	whole := readOf(t, fixture.Operations, given.members)
	for member := range whole.expected {
		t.Run("without "+member, func(t *testing.T) {
			read := whole
			read.expected = maps.Clone(whole.expected)
			delete(read.expected, member)
			tap.ThrowsLike(t, consumer, "OX023", "expected_identity_is_complete", "p_expected", readSQL, read.arguments(t)...)
		})
	}
	for _, document := range []any{"null", "[]", "{}", `"x"`, nil, `{"destination":"\u0000"}`, `{"destination":1,"destination":2}`} {
		tap.Throws(t, consumer, "OX023", "expected_identity_is_complete", readSQL,
			whole.receiptType, whole.ref, whole.version, whole.algorithm, whole.digest, document)
	}
}

func TestReadFindsNothingUncommitted(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	tx := begin(t, d.Login(t, "outbox_consumer"), "")
	given := record(t, tx, fixture.Operations, candidate(fixture.Operations, fixture.NewID(), nil))
	read := readOf(t, fixture.Operations, given.members)
	tap.RowEq(t, d.Login(t, "outbox_consumer"), tap.Row{"not_found", nil}, readSQL, read.arguments(t)...)
	tap.RowEq(t, tx, tap.Row{"found", given.Receipt}, readSQL, read.arguments(t)...)
}
