package inbox_test

import (
	"fmt"
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
			given := candidate(destination, fixture.NewID(), nil)
			r := record(t, consumer, destination, given)
			tap.Is(t, r.Result, "inserted", "result")
			prefix, at := contracts.ReceiptPrefix(receiptType), "committedAt"
			if destination == fixture.Operations {
				at = "appliedAt"
			}
			for name, value := range given {
				tap.Is(t, fixture.JSON(r.members[name]), fixture.JSON(value), name)
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
		r := record(t, consumer, destination, fixture.Candidate(claim))
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
	first := record(t, consumer, fixture.Metering, candidate(fixture.Metering, id, fixture.Object{"outcome": "advanced"}))
	again := record(t, consumer, fixture.Metering, candidate(fixture.Metering, id, fixture.Object{"outcome": "already_observed"}))
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
	for _, c := range []struct {
		member string
		value  any
		// rule is broken by the value, missing by its absence.
		rule, missing string
	}{
		{operations + "SchemaVersion", 1, "value_is_expected", "schema_is_registered"},
		{operations + "SchemaVersion", "2", "schema_is_registered", "schema_is_registered"},
		{operations + "DigestAlgorithmVersion", "sha1", "value_is_expected", "quartet_is_complete"},
		{"destination", "nowhere", "value_is_expected", "member_is_present"},
		{"consumerName", "Operations Projector", "value_is_expected", "member_is_present"},
		{"eventId", "not a UUID", "text_matches_pattern", "member_is_present"},
		{"eventType", "run.created", "text_matches_pattern", "member_is_present"},
		{"eventSchemaVersion", 2, "type_is_right", "member_is_present"},
		{"eventEnvelopeDigestAlgorithmVersion", "sha1", "value_is_expected", "member_is_present"},
		{"eventEnvelopeSha256", strings.ToUpper(someDigest), "text_matches_pattern", "member_is_present"},
		{"projectionName", "", "text_length_within_bounds", "member_is_present"},
		{"projectionVersion", strings.Repeat("v", 257), "text_length_within_bounds", "member_is_present"},
	} {
		for rule, value := range map[string]any{c.rule: c.value, c.missing: nil} {
			t.Run(c.member+" "+rule, func(t *testing.T) {
				assertCandidateRefused(t, consumer, fixture.Operations, fixture.Object{c.member: value}, "/"+c.member+" "+rule)
			})
		}
	}
	for _, own := range []string{operations + "Ref", operations + "Digest", "appliedAt"} {
		assertCandidateRefused(t, consumer, fixture.Operations, fixture.Object{own: "given by the caller"},
			"/"+own+" member_is_known")
	}
	tap.IsEmpty(t, d.Conn(t), "select from inbox.receipts")
}

// assertCandidateRefused asserts that a candidate with these changes is refused for what detail says.
func assertCandidateRefused(t *testing.T, consumer tap.Querier, destination string, changes fixture.Object, detail string) {
	t.Helper()
	report := tap.Throws(t, consumer, "OX023", "receipt_candidate_shape", recordSQL, receiptTypes[destination],
		asJSON(t, candidate(destination, fixture.NewID(), changes)))
	if report != nil {
		tap.Is(t, report.Detail, detail, "detail")
	}
}

func TestCandidateOfAnotherContractIsRefused(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	for destination := range receiptTypes {
		for _, member := range []string{"consumerName", "destination"} {
			t.Run(destination+" "+member, func(t *testing.T) {
				assertCandidateRefused(t, consumer, destination, fixture.Object{member: "of_another"}, "/"+member+" value_is_expected")
			})
		}
	}
	projection := fixture.Object{"projectionName": "operations_read_model", "projectionVersion": "1"}
	assertCandidateRefused(t, consumer, fixture.Metering, projection, "/projectionName member_is_known")
	none := fixture.Object{"projectionName": nil, "projectionVersion": nil}
	assertCandidateRefused(t, consumer, fixture.Operations, none, "/projectionName member_is_present")
	// What its own schema says about the parts of a receipt counts, too.
	assertCandidateRefused(t, consumer, fixture.Metering, fixture.Object{"outcome": "scheduled"}, "/outcome value_is_listed")
	assertCandidateRefused(t, consumer, fixture.CatchUp, fixture.Object{"outcome": fixture.Object{"kind": "done"}}, "/outcome/kind branch_is_known")
	assertCandidateRefused(t, consumer, fixture.Coordinator, fixture.Object{"source": nil}, "/source member_is_present")
}

func TestCandidateThatIsNoUsableDocumentIsRefused(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	consumer := d.Login(t, "outbox_consumer")
	whole := asJSON(t, candidate(fixture.Metering, fixture.NewID(), nil))
	with := func(member string) string { return strings.Replace(whole, "{", "{"+member+",", 1) }
	for i, c := range []struct {
		document any
		detail   string
	}{
		{"null", "(whole document) type_is_right"}, {"[]", "(whole document) type_is_right"}, {`"x"`, "(whole document) type_is_right"},
		{"1", "(whole document) type_is_right"}, {nil, "(whole document) type_is_right"},
		{"{}", "/meteringInputProcessorConsumerReceiptSchemaVersion schema_is_registered"},
		{with(`"x":"\u0000"`), "/x no_nul_character"}, {with(`"x":"\ud800"`), "/x no_lone_surrogate"}, {with(`"x":"e\u0301"`), "/x text_is_nfc"},
		{with(`"x":1e400`), "/x number_is_exact"}, {with(`"x":1e1000000`), "/x number_is_exact"},
		{with(`"destination":"core_operations"`), "/destination no_duplicate_key"}, {with(`"x":1`), "/x member_is_known"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			report := tap.Throws(t, consumer, "OX023", "receipt_candidate_shape", recordSQL, receiptTypes[fixture.Metering], c.document)
			if report != nil {
				tap.Is(t, report.Detail, c.detail, "detail")
			}
		})
	}
	tap.IsEmpty(t, d.Conn(t), "select from inbox.receipts")
}

func TestReceiptTypeThatIsNotRegisteredIsRefused(t *testing.T) {
	t.Parallel()
	d := testdb.New(t)
	consumer := d.Login(t, "outbox_consumer")
	whole := asJSON(t, candidate(fixture.Metering, fixture.NewID(), nil))
	for receiptType, member := range map[any]string{
		nil: "", "": "SchemaVersion", "lowerCase": "lowerCaseSchemaVersion", "With Space": "with SpaceSchemaVersion", "Another": "anotherSchemaVersion",
		receiptTypes[fixture.Operations]: "operationsProjectionAppliedReceiptSchemaVersion", // registered, but this is none
		strings.Repeat("T", 200):         "t" + strings.Repeat("T", 63) + "SchemaVersion",
	} {
		report := tap.Throws(t, consumer, "OX023", "receipt_candidate_shape", recordSQL, receiptType, whole)
		if report != nil {
			tap.Is(t, report.Detail, "/"+member+" schema_is_registered", "detail")
		}
	}
	// A registered schema that is no receipt.
	tap.ThrowsLike(t, consumer, "OX023", "receipt_candidate_shape", "/deliverySetDefinitionSchemaVersion schema_is_registered",
		recordSQL, "DeliverySetDefinition", string(contracts.FirstRelease()))
	tap.IsEmpty(t, d.Conn(t), "select from inbox.receipts")
}

func TestConsumerSeesNoTable(t *testing.T) {
	t.Parallel()
	consumer := testdb.New(t).Login(t, "outbox_consumer")
	tap.Throws(t, consumer, "42501", "", "select from inbox.receipts")
	tap.Throws(t, consumer, "42501", "", "insert into inbox.receipts default values")
	tap.Throws(t, consumer, "42501", "", "select from outbox.events")
	tap.Throws(t, consumer, "42501", "", "select outbox.settle_attempts('[]')")
}
