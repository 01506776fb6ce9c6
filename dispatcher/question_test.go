package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/oceanway/outbox/internal/pgerr"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// served is a configuration file that serves one destination, with these further lines of it.
func served(lines ...string) string {
	return head + "destinations:\n  core_operations:\n    url: http://x.test\n" + strings.Join(lines, "")
}

func TestWhatTheDatabaseRefusesIsRefusedAtTheStartWithItsLine(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	fixture.AppendMany(t, admin, 3)
	for name, test := range map[string]struct{ text, want, invariant string }{
		"unregistered":     {served("  nobody: {url: 'http://x.test'}\n"), "f.yaml:6: destinations.nobody: ", "destination_is_registered"},
		"misspelled":       {head + "destinations:\n  Core_Operations:\n    url: http://x.test\n", "f.yaml:4: destinations.Core_Operations: ", "destination_is_registered"},
		"worker too long":  {served() + "worker: " + strings.Repeat("w", 201) + "\n", "f.yaml:6: worker: ", "worker_is_named"},
		"lease too short":  {served() + "lease: {duration: 500ms, renew_every: 0s}\ndefaults: {call_timeout: 100ms}\n", "f.yaml:6: lease.duration: ", "lease_is_bounded"},
		"lease too long":   {served() + "lease: {duration: 2h}\n", "f.yaml:6: lease.duration: ", "lease_is_bounded"},
		"claims no byte":   {served("    claim: {max_bytes: 0}\n"), "f.yaml:6: destinations.core_operations.claim.max_bytes: ", "claim_is_bounded"},
		"recovers many":    {served() + "recovery: {limit: 1001}\n", "f.yaml:6: recovery.limit: ", "recovery_is_bounded"},
		"recovers late":    {served() + "recovery: {delay: 25h}\n", "f.yaml:6: recovery.delay: ", "recovery_is_bounded"},
		"recovers before":  {served() + "recovery: {delay: -1s}\n", "f.yaml:6: recovery.delay: ", "recovery_is_bounded"},
		"backs off long":   {served("    backoff: {ceiling: 721h}\n"), "f.yaml:6: destinations.core_operations.backoff.ceiling: ", ""},
		"retries too late": {served("    retry_after:\n      ceiling: 721h\n"), "f.yaml:7: destinations.core_operations.retry_after.ceiling: ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := ParseConfig("f.yaml", []byte(test.text), func(c *Config) {
				c.Database.CallTimeout = min(c.Lease.Duration/2, 10*time.Second)
			})
			if err != nil {
				t.Fatal(err)
			}
			d, err := New(config, dispatcherPool(t, db, config), Options{})
			if err != nil {
				t.Fatal(err)
			}
			err = d.Run(t.Context())
			refused, ok := errors.AsType[*ConfigError](err)
			if !ok || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want %s", err, test.want)
			}
			if refused.Reason == "" || !strings.Contains(refused.Reason, test.invariant) {
				t.Errorf("the reason is %q", refused.Reason)
			}
			if test.invariant != "" && !errors.Is(err, pgerr.ErrArgumentInvalid) {
				t.Errorf("the database's report is lost: %v", err)
			}
		})
	}
	tap.IsEmpty(t, admin, "select from outbox.delivery_attempt_starts")
}

func TestTheQuestionsAtTheStartChangeNothing(t *testing.T) {
	t.Parallel()
	db := testdb.NewActive(t)
	admin := db.Conn(t)
	fixture.AppendMany(t, admin, 3)
	leaveExpiring(t, admin)
	await(t, "the leases have expired", func() bool {
		t.Helper()
		return tap.Value[bool](t, admin, "select bool_and(lease_expires_at < clock_timestamp()) from outbox.deliveries")
	})
	const everything = `select coalesce(json_agg(d order by d.event_id, d.destination), '[]')::text
		|| (select count(*) from outbox.delivery_attempt_starts) || (select count(*) from outbox.delivery_attempt_finishes)
		|| (select last_value from outbox.lease_tokens) from outbox.deliveries as d`
	before := tap.Value[string](t, admin, everything)
	config := serverConfig("http://x.test")
	d, err := New(config, dispatcherPool(t, db, config), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.accepted(t.Context()); err != nil {
		t.Fatal(err)
	}
	tap.Is(t, tap.Value[string](t, admin, everything), before, "deliveries, attempts and tokens")
}

func TestTheDatabaseMayBeAwayAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 5)
		db.fault = failing("ask", 20)
		running := start(t, testConfig(operations), db, acknowledges)
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 5 })
		running.stop()
	})
}

func TestADispatcherThatIsStoppedBeforeItMayStartStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.fault = failing("ask", -1)
		running := start(t, testConfig(operations), db, acknowledges)
		pause(t.Context(), time.Hour)
		running.stop()
		if len(db.claims) > 0 {
			t.Errorf("%d claims", len(db.claims))
		}
	})
}

func TestARefusalWithoutAnArgumentBlamesTheWhole(t *testing.T) {
	config := testConfig(operations)
	config.origin = nil
	err := config.refused(map[string]string{"": "recovery"}, fmt.Errorf("%w: /delayMs", errRefusedDelay))
	if want := "recovery: the database lets no retry wait so long: /delayMs"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if _, ok := errors.AsType[*ConfigError](err); !ok || errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
