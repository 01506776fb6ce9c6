package dispatcher

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/internal/pgerr"
)

// patient is a configuration whose calls may take much longer than their lease.
func patient() Config {
	config := testConfig(operations)
	d := config.Destinations[operations]
	d.CallTimeout = 10 * time.Minute
	config.Destinations[operations] = d
	return config
}

func TestACallLongerThanItsLeaseRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 20)
		one := start(t, patient(), db, slowly(5*time.Minute, acknowledges))
		two := start(t, patient(), db, slowly(5*time.Minute, acknowledges))
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 20 })
		one.stop()
		two.stop()
		for _, d := range db.rows {
			if len(d.attempts) != 1 {
				t.Errorf("%s took %d attempts", d.EventID, len(d.attempts))
			}
		}
	})
}

func TestACallWhoseAttemptIsNoLongerCurrentIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		cancelled := make(chan error, 2)
		running := start(t, patient(), db, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			cancelled <- context.Cause(r.Context())
			return nil, r.Context().Err()
		})
		synctest.Wait()
		db.set(func(db *fakeDB) { db.rows[0].LeaseToken += 1000 }) // somebody else's now
		began := time.Now()
		if cause := <-cancelled; !errors.Is(cause, errLeaseLost) {
			t.Errorf("cancelled because: %v", cause)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the call went on for %v", took)
		}
		running.stop()
		if got := db.rows[0].finishes["attempt-1"]; got != "" {
			t.Errorf("the lost attempt was finished as %q", got)
		}
	})
}

func TestACallWhoseRenewalIsNotConfirmedIsCancelledAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		db.fault = func(call string) error {
			if call == "renew" {
				return errConnectionLost
			}
			return nil
		}
		began := time.Now()
		var took atomic.Int64
		running := start(t, patient(), db, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			took.CompareAndSwap(0, int64(time.Since(began)))
			return nil, r.Context().Err()
		})
		db.until(t, "given up", func() bool { return db.finished("attempt-1") != "" })
		running.stop()
		if d := time.Duration(took.Load()); d != DefaultConfig().Lease.Duration {
			t.Errorf("cancelled after %v", d)
		}
		if got := db.rows[0].finishes["attempt-1"]; got != "retryable lease_lost" {
			t.Errorf("finished as %q", got)
		}
	})
}

func TestALateRenewalKeepsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		db.fault = failing("renew", 3)
		running := start(t, patient(), db, slowly(2*time.Minute, acknowledges))
		db.until(t, "acknowledged", func() bool { return db.count(operations, "acknowledged") == 1 })
		running.stop()
		if n := len(db.rows[0].attempts); n != 1 {
			t.Errorf("%d attempts", n)
		}
	})
}

func TestARefusedRenewalIsHalved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := patient()
		d := config.Destinations[operations]
		d.Concurrency = 700
		config.Destinations[operations] = d
		db := newFakeDB()
		db.add(operations, 700)
		most := 0
		db.refuseRenewal = func(fences []Fence) error {
			if most = max(most, len(fences)); len(fences) > 60 {
				return pgerr.Translate(&pgconn.PgError{Code: "OX023", ConstraintName: "settle_is_bounded"})
			}
			return nil
		}
		running := start(t, config, db, slowly(5*time.Minute, acknowledges))
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 700 })
		running.stop()
		if most <= 60 {
			t.Errorf("at most %d renewals were asked for at once", most)
		}
		for _, d := range db.rows {
			if len(d.attempts) != 1 {
				t.Fatalf("%s took %d attempts", d.EventID, len(d.attempts))
			}
		}
	})
}

func TestALeaseThatIsRefusedAloneHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := patient()
		d := config.Destinations[operations]
		d.Concurrency = 700
		config.Destinations[operations] = d
		db := newFakeDB()
		db.add(operations, 700)
		bad := db.rows[123].EventID
		db.refuseRenewal = func(fences []Fence) error {
			if slices.ContainsFunc(fences, func(f Fence) bool { return f.EventID == bad }) {
				return pgerr.Translate(&pgconn.PgError{Code: "22P02"})
			}
			return nil
		}
		running := start(t, config, db, slowly(2*time.Minute, acknowledges))
		db.until(t, "the others are acknowledged", func() bool { return db.count(operations, "acknowledged") == 699 })
		running.stop()
		for _, d := range db.rows {
			if d.EventID != bad && len(d.attempts) != 1 {
				t.Fatalf("%s took %d attempts", d.EventID, len(d.attempts))
			}
		}
	})
}

func TestWithoutRenewalNothingIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := testConfig(operations)
		config.Lease.RenewEvery = 0
		db := newFakeDB()
		db.add(operations, 1)
		db.fault = func(call string) error {
			if call == "renew" {
				t.Error("renewed")
			}
			return nil
		}
		running := start(t, config, db, slowly(14*time.Second, acknowledges))
		db.until(t, "acknowledged", func() bool { return db.count(operations, "acknowledged") == 1 })
		running.stop()
	})
}

func TestLeasesOfTheDeadAreRecovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 3)
		db.add("not_configured_here", 2)
		for _, destination := range []string{operations, "not_configured_here"} {
			if _, err := db.Claim(t.Context(), claimRequest{destination: destination, limit: 10, lease: 30 * time.Second}); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		running := start(t, testConfig(operations), db, acknowledges)
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 3 })
		if took := time.Since(began); took < 30*time.Second || took > 35*time.Second {
			t.Errorf("recovered after %v, want the lease and a sweep", took)
		}
		running.stop()
		for _, d := range db.rows {
			if d.finishes[d.attempts[0]] != "lease_expired_unknown" {
				t.Errorf("%s of %s was not recovered", d.EventID, d.Destination)
			}
		}
	})
}

func TestManyExpiredLeasesAreRecoveredWithoutPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := testConfig(operations)
		config.Recovery = Recovery{Every: 10 * time.Minute, Limit: 100}
		db := newFakeDB()
		db.add("elsewhere", 950)
		if _, err := db.Claim(t.Context(), claimRequest{destination: "elsewhere", limit: 950, lease: time.Second}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		start(t, config, db, acknowledges)
		db.until(t, "all recovered", func() bool { return db.finished("attempt-950") != "" })
		if took := time.Since(began); took > 12*time.Minute {
			t.Errorf("it took %v, want one sweep", took)
		}
	})
}

// keeping makes the leases of one destination alone, with a log.
func keeping(db *fakeDB, log func(string)) *leases {
	return &leases{
		name: operations, store: db, length: 30 * time.Second, every: 10 * time.Second, log: logTo(log),
		weather: newWeather(logTo(log), Range{Floor: time.Second, Ceiling: time.Second}, rand.Int64N),
		at:      func(Point, *Claimed) {}, held: map[string]*lease{},
	}
}

func TestARenewalIsDueOncePerPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		asked := time.Now()
		batch, err := db.Claim(t.Context(), claimRequest{destination: operations, limit: 1, lease: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		l := keeping(db, func(string) {})
		l.hold(t.Context(), &batch[0], asked)
		due := func() int { return len(l.due(time.Now().Add(-l.every / 2))) }
		if due() != 0 {
			t.Error("due right after the claim")
		}
		pause(t.Context(), 10*time.Second)
		if due() != 1 {
			t.Error("not due after a period")
		}
		if err := l.renewAll(t.Context()); err != nil || due() != 0 {
			t.Errorf("due right after a renewal, %v", err)
		}
		l.release(batch[0].AttemptID)
	})
}

func TestALeaseWhoseCallIsOverIsNotCalledLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		batch, err := db.Claim(t.Context(), claimRequest{destination: operations, limit: 1, lease: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		l := keeping(db, func(line string) { t.Errorf("the log says %s", line) })
		call := l.hold(t.Context(), &batch[0], time.Now())
		l.answered(batch[0].AttemptID)
		db.rows[0].status = "acknowledged" // settled, but its result is still on the way back
		pause(t.Context(), 10*time.Second)
		if err := l.renewAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		pause(t.Context(), time.Minute)
		if call.Err() != nil {
			t.Errorf("the call was cancelled: %v", context.Cause(call))
		}
		l.release(batch[0].AttemptID)
	})
}

func TestAnAnsweredCallIsNotCalledLostWhileItsOutcomeIsOnTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		var renewals atomic.Int32
		db.fault = func(call string) error {
			if call == "renew" {
				renewals.Add(1)
			}
			return nil
		}
		db.lost = func(call string) error {
			if call == "settle" && renewals.Load() < 2 { // settled, but the dispatcher does not know it yet
				return errConnectionLost
			}
			return nil
		}
		log := logTo(func(line string) {
			if strings.Contains(line, "lease lost") {
				t.Errorf("the log says %s", line)
			}
		})
		running := start(t, testConfig(operations), db, acknowledges, func(o *Options) { o.Logger = log })
		pause(t.Context(), time.Minute)
		running.stop()
		if n := renewals.Load(); n == 0 {
			t.Error("nothing was renewed meanwhile")
		}
	})
}
