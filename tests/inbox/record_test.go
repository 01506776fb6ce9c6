package inbox_test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestFirstReceiptIsInsertedWithReferenceDigestAndTime(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	for destination, receiptType := range receiptTypes {
		t.Run(destination, func(t *testing.T) {
			given := candidate(destination, fixture.NewID(), fixture.Object{"outcome": nil})
			r := record(t, consumer, destination, given)
			tap.Is(t, r.Result, "inserted", "result")
			prefix, at := contracts.ReceiptPrefix(receiptType), "committedAt"
			if destination == fixture.Operations {
				at = "appliedAt"
			}
			for name, value := range given {
				tap.Is(t, r.members[name], value, name)
			}
			tap.Is(t, len(r.members), len(given)+3, "members")
			tap.Is(t, r.members[prefix+"Digest"], any(digestOf(t, destination, r.Receipt)), "digest")
			tap.Ok(t, strings.HasPrefix(r.members[prefix+"Ref"].(string), prefix+":"), "reference")
			committed, err := time.Parse(time.RFC3339Nano, r.members[at].(string))
			tap.Ok(t, err == nil && time.Since(committed) < time.Minute, "time")
			canonical, err := contracts.Canonical([]byte(r.Receipt))
			tap.Ok(t, err == nil && string(canonical) == r.Receipt, "canonical form")
		})
	}
}

func TestReceiptOfTheInboxIsWhatADeliveryAccepts(t *testing.T) {
	t.Parallel()
	d := testdb.NewActive(t)
	db, consumer := d.Conn(t), d.Login(t, "outbox_consumer")
	for destination := range receiptTypes {
		claim := fixture.AppendAndClaim(t, db, destination)
		r := record(t, consumer, destination, candidate(destination, claim.EventID, fixture.Object{
			"eventEnvelopeSha256": hex.EncodeToString(claim.EventEnvelopeSha256),
			"eventType":           claim.EventType, "eventSchemaVersion": claim.EventSchemaVersion,
		}))
		tap.Is(t, fixture.Settle(t, db, fixture.AcknowledgeWith(claim, r.members))[0].Result, "complete", destination)
	}
}

func TestRedeliveryIsAnsweredWithTheFirstReceipt(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	for destination := range receiptTypes {
		t.Run(destination, func(t *testing.T) {
			given := candidate(destination, fixture.NewID(), nil)
			first := record(t, d.Login(t, "outbox_consumer"), destination, given)
			for range 2 {
				again := record(t, d.Login(t, "outbox_consumer"), destination, given)
				tap.Is(t, again.Result, "identical", "result")
				tap.Is(t, again.Receipt, first.Receipt, "receipt")
			}
		})
	}
}

func TestRedeliveryInTheSameTransactionIsAnsweredWithTheFirstReceipt(t *testing.T) {
	t.Parallel()
	tx := begin(t, testdb.New(t).Login(t, "outbox_consumer"), "")
	given := candidate(fixture.Operations, fixture.NewID(), nil)
	first, again := record(t, tx, fixture.Operations, given), record(t, tx, fixture.Operations, given)
	tap.Is(t, first.Result+" "+again.Result, "inserted identical", "results")
	tap.Is(t, again.Receipt, first.Receipt, "receipt")
}

// A consumer that decides otherwise the second time, because its state has moved on, still answers with its first word.
func TestRedeliveryWithAnotherOutcomeIsAnsweredWithTheFirstReceipt(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	id := fixture.NewID()
	first := record(t, consumer, fixture.Metering, candidate(fixture.Metering, id, fixture.Object{"outcome": "scheduled"}))
	again := record(t, consumer, fixture.Metering, candidate(fixture.Metering, id, fixture.Object{"outcome": "already_scheduled"}))
	tap.Is(t, again.Result, "identical", "result")
	tap.Is(t, again.Receipt, first.Receipt, "receipt")
}

func TestSameEventWithAnotherDigestIsRefused(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	consumer := d.Login(t, "outbox_consumer")
	for destination, receiptType := range receiptTypes {
		id := fixture.NewID()
		first := record(t, consumer, destination, candidate(destination, id, nil))
		other := candidate(destination, id, fixture.Object{"eventEnvelopeSha256": strings.Repeat("ab", 32)})
		tap.ThrowsLike(t, consumer, "OX003", "receipt_event_digest_matches", "/eventEnvelopeSha256", recordSQL, receiptType, asJSON(t, other))
		tap.Is(t, record(t, consumer, destination, candidate(destination, id, nil)).Receipt, first.Receipt, "the first receipt stays")
	}
	tap.RowEq(t, d.Conn(t), tap.Row{len(receiptTypes)}, "select count(*) from inbox.receipts")
}

func TestEachProjectionHasItsOwnReceipt(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	consumer := d.Login(t, "outbox_consumer")
	id := fixture.NewID()
	seen := map[string]bool{}
	for _, projection := range []fixture.Object{
		{"projectionName": "operations_read_model", "projectionVersion": "1"},
		{"projectionName": "operations_read_model", "projectionVersion": "2"},
		{"projectionName": "operations_read_model_shadow", "projectionVersion": "1"},
	} {
		r := record(t, consumer, fixture.Operations, candidate(fixture.Operations, id, projection))
		tap.Is(t, r.Result, "inserted", "result")
		seen[r.members["operationsProjectionAppliedReceiptRef"].(string)] = true
		again := record(t, consumer, fixture.Operations, candidate(fixture.Operations, id, projection))
		tap.Is(t, again.Receipt, r.Receipt, "the receipt of this projection")
	}
	tap.Is(t, len(seen), 3, "references")
}

func TestEachConsumerHasItsOwnReceipt(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	id := fixture.NewID()
	for destination := range receiptTypes {
		tap.Is(t, record(t, consumer, destination, candidate(destination, id, nil)).Result, "inserted", destination)
	}
}

func TestRolledBackReceiptWasNeverGiven(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	consumer := d.Login(t, "outbox_consumer")
	given := candidate(fixture.Operations, fixture.NewID(), nil)
	tx := begin(t, consumer, "")
	lost := record(t, tx, fixture.Operations, given)
	end(t, tx.Rollback(t.Context()))
	tap.IsEmpty(t, d.Conn(t), "select from inbox.receipts")
	r := record(t, consumer, fixture.Operations, given)
	tap.Is(t, r.Result, "inserted", "result")
	tap.Isnt(t, r.members["operationsProjectionAppliedReceiptRef"], lost.members["operationsProjectionAppliedReceiptRef"], "reference")
}

// The producer forgets an event once it was answered: the answer must survive a crash of the consumer's server.
func TestReceiptIsDurableWhateverTheSessionAsksFor(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	for asked, want := range map[string]string{
		"off": "on", "local": "on", "remote_write": "on", "on": "on", "remote_apply": "remote_apply",
	} {
		given := candidate(fixture.Operations, fixture.NewID(), nil)
		for _, result := range []string{"inserted", "identical"} {
			tx := begin(t, consumer, "")
			tap.Exec(t, tx, "set local synchronous_commit = "+asked)
			tap.Is(t, record(t, tx, fixture.Operations, given).Result, result, "result")
			tap.RowEq(t, tx, tap.Row{want}, "select current_setting('synchronous_commit')")
			end(t, tx.Commit(t.Context()))
		}
	}
	tap.RowEq(t, consumer, tap.Row{"on"}, "select current_setting('synchronous_commit')")
}

func TestCandidateOfABadShapeIsRefused(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	consumer := d.Login(t, "outbox_consumer")
	const operations = "operationsProjectionAppliedReceipt"
	bad := map[string]fixture.Object{
		"/" + operations + "SchemaVersion":          {operations + "SchemaVersion": 1},
		"/" + operations + "DigestAlgorithmVersion": {operations + "DigestAlgorithmVersion": "sha1"},
		"/destination":                         {"destination": "nowhere"},
		"/consumerName":                        {"consumerName": "Operations Projector"},
		"/eventId":                             {"eventId": "not a UUID"},
		"/eventEnvelopeDigestAlgorithmVersion": {"eventEnvelopeDigestAlgorithmVersion": "sha1"},
		"/eventEnvelopeSha256":                 {"eventEnvelopeSha256": strings.ToUpper(someDigest)},
		"/projectionName":                      {"projectionName": ""},
		"/projectionVersion":                   {"projectionVersion": strings.Repeat("v", 257)},
	}
	missing := maps.Clone(bad)
	for path := range bad {
		missing[path+" missing"] = fixture.Object{path[1:]: nil}
	}
	for name, change := range missing {
		t.Run(name, func(t *testing.T) {
			path, _, _ := strings.Cut(name, " ")
			if path == "/projectionName" && change["projectionName"] == nil {
				path = "/projectionVersion" // the two come together
			}
			tap.ThrowsLike(t, consumer, "OX023", "receipt_candidate_shape", path, recordSQL,
				receiptTypes[fixture.Operations], asJSON(t, candidate(fixture.Operations, fixture.NewID(), change)))
		})
	}
	for _, own := range []string{operations + "Ref", operations + "Digest", "appliedAt"} {
		tap.Throws(t, consumer, "OX023", "receipt_candidate_shape", recordSQL, receiptTypes[fixture.Operations],
			asJSON(t, candidate(fixture.Operations, fixture.NewID(), fixture.Object{own: "given by the caller"})))
	}
	tap.IsEmpty(t, d.Conn(t), "select from inbox.receipts")
}

func TestCandidateOfAnotherContractIsRefused(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	for destination, receiptType := range receiptTypes {
		for name, change := range map[string]fixture.Object{
			"consumer of another":    {"consumerName": "another_consumer"},
			"destination of another": {"destination": "another_destination"},
		} {
			t.Run(destination+" "+name, func(t *testing.T) {
				tap.ThrowsLike(t, consumer, "OX023", "receipt_candidate_shape", "/destination", recordSQL, receiptType,
					asJSON(t, candidate(destination, fixture.NewID(), change)))
			})
		}
	}
	tap.ThrowsLike(t, consumer, "OX023", "receipt_candidate_shape", "/destination", recordSQL, receiptTypes[fixture.Metering],
		asJSON(t, candidate(fixture.Metering, fixture.NewID(), fixture.Object{"projectionName": "operations_read_model", "projectionVersion": "1"})))
	tap.ThrowsLike(t, consumer, "OX023", "receipt_candidate_shape", "/destination", recordSQL, receiptTypes[fixture.Operations],
		asJSON(t, candidate(fixture.Operations, fixture.NewID(), fixture.Object{"projectionName": nil, "projectionVersion": nil})))
}

func TestCandidateThatIsNoUsableDocumentIsRefused(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	whole := asJSON(t, candidate(fixture.Metering, fixture.NewID(), nil))
	with := func(member string) string { return strings.Replace(whole, "{", "{"+member+",", 1) }
	for i, document := range []any{
		"null", "[]", `"x"`, "1", "{}", nil,
		with(`"outcome":"\u0000"`), with(`"outcome":"\ud800"`), with(`"outcome":1e400`), with(`"outcome":1e1000000`),
		with(`"destination":"core_operations"`), // a member twice
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			tap.Throws(t, consumer, "OX023", "receipt_candidate_shape", recordSQL, receiptTypes[fixture.Metering], document)
		})
	}
	for _, receiptType := range []any{nil, "", "lowerCase", "With Space", strings.Repeat("T", 200)} {
		tap.Throws(t, consumer, "OX023", "receipt_candidate_shape", recordSQL, receiptType, whole)
	}
}

func TestConsumerSeesNoTable(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	tap.Throws(t, consumer, "42501", "", "select from inbox.receipts")
	tap.Throws(t, consumer, "42501", "", "insert into inbox.receipts default values")
	tap.Throws(t, consumer, "42501", "", "select from outbox.events")
	tap.Throws(t, consumer, "42501", "", "select outbox.settle_attempts('[]')")
}
