package busy

import (
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// Delivery sets beside the first release's, with the same members.
const (
	// SecondVersion is active.
	SecondVersion = "2026-12-second-release"
	// ThirdVersion is registered; no event froze it.
	ThirdVersion = "2027-01-third-release"
)

// DB is a busy database. Its events are named by what happened to them.
type DB struct {
	*testdb.DB
	// Pending was never claimed.
	Pending string
	// Retried failed once and waits for its next attempt.
	Retried string
	// Leased is being delivered, after a lost lease and a failure.
	Leased string
	// Recovered lost its lease.
	Recovered string
	// Published was acknowledged by its one destination.
	Published string
	// PublishedTwice was acknowledged by both of its destinations.
	PublishedTwice string
	// HalfAcknowledged was acknowledged by Operations, and waits for the Coordinator.
	HalfAcknowledged string
	// Quarantined was refused by its one destination, and a person noted it.
	Quarantined string
	// Exhausted failed as often as the policy allowed.
	Exhausted string
	// Receipt is the reference of a receipt in the inbox.
	Receipt string
}

// New makes a busy database.
func New(t testing.TB) *DB {
	t.Helper()
	d := &DB{DB: testdb.NewActive(t)}
	db := d.Conn(t)
	d.succeed(t, db)
	d.fail(t, db)
	d.receive(t, db)
	digest := register(t, db, SecondVersion)
	tap.Exec(t, db, "select outbox.activate_delivery_set($1, '1', 'jcs-sha256-v1', $2)", SecondVersion, digest)
	register(t, db, ThirdVersion)
	d.Pending = fixture.AppendNew(t, db, fixture.Full())
	tap.Exec(t, db, "select outbox.pause_destination('core_operations', 'maintenance')")
	return d
}

// succeed publishes events, and lets one wait for its second acknowledgement.
func (d *DB) succeed(t testing.TB, db *pgx.Conn) {
	t.Helper()
	d.Published = fixture.AppendNew(t, db, fixture.Full())
	settle(t, db, "complete", fixture.Acknowledge(fixture.ClaimOne(t, db, fixture.Operations)))
	d.PublishedTwice = fixture.AppendNew(t, db, fixture.Type(fixture.ResolutionApplied))
	settle(t, db, "not_complete", fixture.Acknowledge(fixture.ClaimOne(t, db, fixture.Coordinator)))
	settle(t, db, "complete", fixture.Acknowledge(fixture.ClaimOne(t, db, fixture.Operations)))
	d.HalfAcknowledged = fixture.AppendNew(t, db, fixture.Type(fixture.ResolutionApplied))
	settle(t, db, "not_complete", fixture.Acknowledge(fixture.ClaimOne(t, db, fixture.Operations)))
}

// fail leads events into every state that a failure leads to.
func (d *DB) fail(t testing.TB, db *pgx.Conn) {
	t.Helper()
	d.Quarantined = fixture.AppendNew(t, db)
	settle(t, db, "quarantined", fixture.Quarantine(fixture.ClaimOne(t, db, fixture.Operations), "event_unprocessable"))
	tap.Exec(t, db, "select outbox.note_quarantine($1::text::uuid, 'core_operations', 'case-1', 'seen')", d.Quarantined)

	tap.Exec(t, db, `select outbox.change_settings('{"max_attempts": 1}', 'one try')`)
	d.Exhausted = fixture.AppendNew(t, db)
	settle(t, db, "quarantined", fixture.Retry(fixture.ClaimOne(t, db, fixture.Operations), "timeout", 0))
	tap.Exec(t, db, `select outbox.change_settings('{"max_attempts": null}', 'as many as it takes')`)

	d.Leased = fixture.AppendNew(t, db)
	settle(t, db, "retry_scheduled", fixture.Item(fixture.ClaimOne(t, db, fixture.Operations), contracts.Retryable,
		fixture.Object{"errorCode": "timeout", "errorRef": "log 17", "delayMs": 0}))
	d.lose(t, db, fixture.ClaimOne(t, db, fixture.Operations), "0")
	fixture.ClaimOne(t, db, fixture.Operations)

	d.Recovered = fixture.AppendNew(t, db)
	d.lose(t, db, fixture.ClaimOne(t, db, fixture.Operations), "1 day")
	d.Retried = fixture.AppendNew(t, db)
	settle(t, db, "retry_scheduled", fixture.Retry(fixture.ClaimOne(t, db, fixture.Operations), "consumer_capacity", 86_400_000))
}

// lose lets a lease expire and recovers it. The deadline is moved behind the back of the state machine, which is left as
// it was.
func (d *DB) lose(t testing.TB, db *pgx.Conn, claim fixture.Claimed, delay string) {
	t.Helper()
	owner := d.As(t, "outbox_owner")
	enable := tap.Value[string](t, owner, `
		select case tgenabled when 'A' then 'enable always' else 'enable' end
		from pg_trigger where tgrelid = 'outbox.deliveries'::regclass and tgname = 'delivery_moves_legally'`)
	tap.Exec(t, owner, "begin; alter table outbox.deliveries disable trigger delivery_moves_legally")
	tap.Exec(t, owner, `
		update outbox.deliveries set lease_expires_at = clock_timestamp() - interval '1 s' where current_attempt_id = $1::text::uuid`, claim.AttemptID)
	tap.Exec(t, owner, "alter table outbox.deliveries "+enable+" trigger delivery_moves_legally; commit")
	tap.RowEq(t, db, tap.Row{claim.AttemptID}, "select attempt_id from outbox.recover_expired_leases(1, $1::text::interval)", delay)
}

// receive records receipts of a projector and of a consumer.
func (d *DB) receive(t testing.TB, db *pgx.Conn) {
	t.Helper()
	digest := tap.Value[[]byte](t, db, "select event_envelope_sha256 from outbox.events where event_id = $1::text::uuid", d.Published)
	for _, destination := range []string{fixture.Operations, fixture.Metering} {
		delivered := fixture.Delivered(destination, d.Published, digest)
		tap.RowEq(t, db, tap.Row{"inserted"}, "select result from inbox.record_receipt($1, $2::text::json)", delivered.ExpectedReceiptType,
			fixture.JSON(fixture.Candidate(delivered)))
	}
	d.Receipt = tap.Value[string](t, db, "select min(receipt_ref) from inbox.receipts")
}

// register registers the first release's members under another version, and returns the digest.
func register(t testing.TB, db tap.Querier, version string) []byte {
	t.Helper()
	var definition map[string]any
	if err := json.Unmarshal(contracts.FirstRelease(), &definition); err != nil {
		t.Fatal(err)
	}
	definition["deliverySetVersion"] = version
	digest, err := fixture.Schemas().Digest(contracts.DefinitionSchema, encode(t, definition))
	if err != nil {
		t.Fatal(err)
	}
	definition["deliverySetDefinitionDigest"] = hex.EncodeToString(digest[:])
	tap.Exec(t, db, "select outbox.register_delivery_set($1::text::json, 'test')", string(encode(t, definition)))
	return digest[:]
}

func encode(t testing.TB, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// settle settles one item and asserts its result.
func settle(t testing.TB, db tap.Querier, want, item string) {
	t.Helper()
	answers := fixture.Settle(t, db, item)
	tap.Is(t, answers[0].Result, want, "result")
}
