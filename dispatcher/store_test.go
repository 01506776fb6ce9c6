package dispatcher

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/pgerr"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func newStore(t *testing.T, pool *pgxpool.Pool) *Store {
	t.Helper()
	return NewStore(pool, 20*time.Second)
}

func request(destination string, limit int) claimRequest {
	return claimRequest{destination: destination, worker: "tester", limit: limit, lease: 30 * time.Second, maxBytes: 1 << 20}
}

func TestStoreClaimsWhatADeliveryNeeds(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	id := fixture.AppendNew(t, admin, fixture.Aggregate("run 1", 7))
	store := newStore(t, dispatcherPool(t, db, serverConfig("http://x")))
	batch, err := store.Claim(t.Context(), request(fixture.Operations, 10))
	if err != nil || len(batch) != 1 {
		t.Fatalf("%d claims, %v", len(batch), err)
	}
	c := batch[0]
	sum := contracts.Sum(c.EventEnvelope)
	tap.Is(t, c.EventID, id, "event id")
	tap.Is(t, c.Destination, fixture.Operations, "destination")
	tap.Is(t, c.ConsumerName, "operations_projector", "consumer")
	tap.Is(t, c.EventType, "run.created@2.0", "event type")
	tap.Is(t, c.AggregateID, "run 1", "aggregate")
	tap.Is(t, c.AttemptCount, 1, "attempt count")
	tap.Is(t, c.EventEnvelopeSha256, fmt.Sprintf("%x", sum), "digest")
	tap.Is(t, c.DeliverySetVersion, contracts.FirstReleaseName, "delivery set")
	definition, err := released().Digest(contracts.DefinitionSchema, contracts.FirstRelease())
	if err != nil {
		t.Fatal(err)
	}
	tap.Is(t, c.DeliverySetDefinitionDigest, fmt.Sprintf("%x", definition), "delivery set digest")
	tap.Is(t, c.ExpectedReceiptType, operationsReceipt, "receipt type")
	tap.Is(t, c.ExpectedReceiptSchemaVersion, "1", "receipt schema version")
	tap.Ok(t, c.RequiredProjectionName != nil && c.RequiredProjectionVersion != nil, "the projection target is there")
	if verdict, intact := verify(&c); !intact {
		t.Errorf("not intact: %+v", verdict)
	}
	tap.RowEq(t, admin, tap.Row{"tester", c.AttemptID, c.LeaseToken},
		"select lease_owner, current_attempt_id::text, lease_token from outbox.deliveries where event_id = $1", id)
}

func TestStoreClaimsAfterAPosition(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	ids := fixture.AppendMany(t, db.Conn(t), 6)
	store := newStore(t, dispatcherPool(t, db, serverConfig("http://x")))
	first, err := store.Claim(t.Context(), request(fixture.Operations, 4))
	if err != nil {
		t.Fatal(err)
	}
	tap.Is(t, strings.Join(idsOf(first), " "), strings.Join(ids[:4], " "), "the oldest four")
	third := first[2]
	settle(t, store, Outcome{Fence: first[0].fence(), Kind: Retryable, Code: codeTimeout, DelayMs: new(int64)})
	after := request(fixture.Operations, 10)
	after.after = &position{available: third.AvailableMicros, created: third.CreatedMicros, eventID: third.EventID}
	rest, err := store.Claim(t.Context(), after)
	if err != nil {
		t.Fatal(err)
	}
	if got := idsOf(rest); !slices.Contains(got, ids[4]) || !slices.Contains(got, ids[5]) || slices.Contains(got, ids[1]) {
		t.Errorf("claimed %v after %s of %v", got, third.EventID, ids)
	}
}

func idsOf(batch []Claimed) []string {
	ids := make([]string, len(batch))
	for i := range batch {
		ids[i] = batch[i].EventID
	}
	return ids
}

func settle(t *testing.T, store *Store, outcomes ...Outcome) []string {
	t.Helper()
	rows, err := store.Settle(t.Context(), outcomes)
	if err != nil {
		t.Fatal(err)
	}
	results := make([]string, len(rows))
	for i, row := range rows {
		results[i] = row.Result
	}
	return results
}

func TestStoreSettlesRenewsAndRecovers(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	fixture.AppendMany(t, admin, 4)
	store := newStore(t, dispatcherPool(t, db, serverConfig("http://x")))
	batch, err := store.Claim(t.Context(), request(fixture.Operations, 4))
	if err != nil {
		t.Fatal(err)
	}
	stale := batch[1].fence()
	stale.LeaseToken++
	renewed, err := store.Renew(t.Context(), []Fence{batch[0].fence(), stale, {}}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	tap.Is(t, renewed[0].Result+" "+renewed[1].Result+" "+renewed[2].Result, "renewed stale invalid", "results in order")

	delay := int64(1500)
	outcomes := []Outcome{
		{Fence: batch[0].fence(), Kind: Retryable, Code: codeHTTPServerError, Ref: "log 1", DelayMs: &delay},
		{Fence: batch[1].fence(), Kind: NonRetryable, Code: "schema_unknown", Reason: "schema_unknown"},
		{Fence: batch[2].fence(), Kind: Acknowledged, Ack: []byte(`{}`), Receipt: []byte(`{"x":"<&>"}`)},
		{Fence: stale, Kind: Retryable, Code: codeTimeout, DelayMs: &delay},
	}
	tap.Is(t, strings.Join(settle(t, store, outcomes...), " "), "retry_scheduled quarantined invalid stale", "results in order")
	tap.Is(t, settle(t, store, outcomes[0])[0], "already_settled", "asked again")

	tap.IsEmpty(t, admin, "select from outbox.deliveries where lease_expires_at < now()")
	recovered, err := store.Recover(t.Context(), 10, 0)
	if err != nil || len(recovered) != 0 {
		t.Errorf("%d leases recovered before they expired, %v", len(recovered), err)
	}
	short := request(fixture.Operations, 4)
	short.lease = time.Second
	fixture.AppendNew(t, admin)
	if batch, err = store.Claim(t.Context(), short); err != nil {
		t.Fatal(err)
	}
	await(t, "the lease is recovered", func() bool {
		if recovered, err = store.Recover(t.Context(), 10, 0); err != nil {
			t.Fatal(err)
		}
		return len(recovered) > 0
	})
	tap.Is(t, recovered[0].AttemptID, batch[0].AttemptID, "the attempt whose lease expired")
	sound(t, admin)
}

func TestStoreWorksWhateverTheSessionIsSetTo(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	fixture.AppendMany(t, admin, 10)
	config := serverConfig("http://x")
	plain := newStore(t, dispatcherPool(t, db, config))
	want, err := plain.Claim(t.Context(), request(fixture.Operations, 3))
	if err != nil {
		t.Fatal(err)
	}
	hostile, err := pgxpool.ParseConfig(db.LoginURL(t, "outbox_dispatcher"))
	if err != nil {
		t.Fatal(err)
	}
	config.Database.Prepare(hostile)
	maps.Copy(hostile.ConnConfig.RuntimeParams, map[string]string{
		"search_path": "outbox, contracts, public", "DateStyle": "SQL, DMY", "IntervalStyle": "sql_standard", "TimeZone": "Asia/Kathmandu",
		"bytea_output": "escape", "extra_float_digits": "-15", "default_transaction_isolation": "serializable",
		"quote_all_identifiers": "on", "enable_hashjoin": "off", "enable_nestloop": "off", "lock_timeout": "1h",
	})
	pool, err := pgxpool.NewWithConfig(t.Context(), hostile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	store := newStore(t, pool)
	last := want[len(want)-1]
	after := request(fixture.Operations, 10)
	after.after = &position{available: last.AvailableMicros, created: last.CreatedMicros, eventID: last.EventID}
	batch, err := store.Claim(t.Context(), after)
	if err != nil || len(batch) != 7 {
		t.Fatalf("%d claims, %v", len(batch), err)
	}
	for i := range batch {
		if _, intact := verify(&batch[i]); !intact || batch[i].CreatedMicros <= last.CreatedMicros {
			t.Errorf("claimed %+v", batch[i])
		}
	}
	rows, err := query[struct{ Level, Path, Patience string }](t.Context(), store, `
		select current_setting('transaction_isolation') as level, current_setting('search_path') as path,
		       current_setting('statement_timeout') as patience`)
	if err != nil {
		t.Fatal(err)
	}
	tap.Is(t, rows[0].Level, "read committed", "isolation")
	tap.Is(t, strings.ReplaceAll(rows[0].Path, `"`, ""), "pg_catalog, pg_temp", "search path")
	tap.Is(t, rows[0].Patience, "20s", "statement timeout")
}

func TestStoreCancelsOnTheServerWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	store := NewStore(dispatcherPool(t, db, serverConfig("http://x")), 200*time.Millisecond)
	_, err := query[struct{ Nothing string }](t.Context(), store, "select pg_sleep(3600)::text as nothing")
	if !tookTooLong(err) || itemFault(err) {
		t.Errorf("got %v", err)
	}
	admin := db.Conn(t)
	await(t, "nothing is left running", func() bool {
		t.Helper()
		return tap.Value[int](t, admin, `select count(*)::int from pg_stat_activity
			where datname = current_database() and query like '%pg_sleep(3600)%' and state = 'active' and pid <> pg_backend_pid()`) == 0
	})
}

func TestStoreSaysWhoMayDispatch(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	config := serverConfig("http://x")
	for role, want := range map[string]bool{"outbox_dispatcher": true, "outbox_reader": false, "outbox_producer": false} {
		got, err := newStore(t, preparedPool(t, db.LoginURL(t, role), config)).MayDispatch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tap.Is(t, got, want, role)
	}
	got, err := newStore(t, preparedPool(t, testdb.NewEmpty(t).URL, config)).MayDispatch(t.Context())
	if err != nil || got {
		t.Errorf("where nothing is installed: %v, %v", got, err)
	}
}

func TestStoreNamesWhatTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	config := serverConfig("http://x")
	_, err := newStore(t, dispatcherPool(t, db, config)).Claim(t.Context(), request("nobody", 1))
	if !errors.Is(err, pgerr.ErrArgumentInvalid) {
		t.Errorf("an unknown destination gives %v", err)
	}
	_, err = newStore(t, preparedPool(t, db.LoginURL(t, "outbox_reader"), config)).Claim(t.Context(), request(fixture.Operations, 1))
	if !errors.Is(err, pgerr.ErrPermission) {
		t.Errorf("a reader gets %v", err)
	}
}

func TestEveryCodeIsRegistered(t *testing.T) {
	t.Parallel()
	registered := tap.Column[string](t, testdb.New(t).Conn(t), "select error_code from outbox.error_codes")
	own := []string{
		codeAckMissing, codeAckMalformed, codeReceiptDigestMismatch, codeReceiptMemberMismatch, codeReleasedUnsent, codeSchemaUnknown,
		codeEnvelopeIntegrity, codeLeaseLost, codeConnectionRefused, codeConnectionReset, codeConnectionFailed, codeDNSFailure,
		codeTLSFailure, codeTimeout, codeResponseTooLarge, codeResponseUnreadable, codeCallCancelled,
	}
	for status := range 1100 {
		own = append(own, statusCode(status))
	}
	for _, code := range own {
		if !slices.Contains(registered, code) {
			t.Errorf("%s is not registered", code)
		}
	}
}
