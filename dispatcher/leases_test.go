package dispatcher

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
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
