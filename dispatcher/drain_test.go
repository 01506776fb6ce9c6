package dispatcher

import (
	"testing"
	"testing/synctest"
	"time"
)

func fourAtOnce() Config {
	config := testConfig(operations)
	d := config.Destinations[operations]
	d.Concurrency = 4
	config.Destinations[operations] = d
	return config
}

func TestDrainLetsCallsFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 8)
		running := start(t, fourAtOnce(), db, slowly(5*time.Second, acknowledges))
		synctest.Wait()
		began := time.Now()
		running.stop()
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("draining took %v", took)
		}
		if n := db.count(operations, "acknowledged"); n != 4 {
			t.Errorf("%d acknowledged, want the 4 that were in flight", n)
		}
		if n := db.count(operations, "leased"); n != 0 {
			t.Errorf("%d deliveries are still leased", n)
		}
	})
}

func TestDrainGivesBackWhatWasNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 4)
		claimed, stopped := make(chan struct{}), make(chan struct{})
		running := start(t, fourAtOnce(), db, acknowledges, func(o *Options) {
			o.At = func(p Point, _ *Claimed) {
				if p == AfterClaim {
					close(claimed)
					<-stopped
				}
			}
		})
		<-claimed
		running.cancel()
		close(stopped)
		running.stop()
		for _, d := range db.rows {
			if got := d.finishes[d.AttemptID]; got != "retryable released_unsent" {
				t.Errorf("%s finished as %q", d.EventID, got)
			}
			if d.status != "pending" || d.available.After(time.Now()) {
				t.Errorf("%s is %s and not claimable at once", d.EventID, d.status)
			}
		}
	})
}

func TestDrainEndsWithTheDrainTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := fourAtOnce()
		config.Drain = Drain{Calls: 3 * time.Second, Settle: time.Second}
		db := newFakeDB()
		db.add(operations, 4)
		running := start(t, config, db, slowly(time.Hour, acknowledges))
		synctest.Wait()
		began := time.Now()
		running.stop()
		if took := time.Since(began); took < 3*time.Second || took > 4*time.Second {
			t.Errorf("draining took %v", took)
		}
		for _, d := range db.rows {
			if got := d.finishes[d.AttemptID]; got != "retryable call_cancelled" {
				t.Errorf("%s finished as %q", d.EventID, got)
			}
		}
	})
}

func TestDrainWithoutADatabaseEndsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 4)
		running := start(t, fourAtOnce(), db, slowly(time.Second, acknowledges))
		synctest.Wait()
		db.set(func(db *fakeDB) { db.fault = func(string) error { return errConnectionLost } })
		began := time.Now()
		running.stop()
		if took := time.Since(began); took > 25*time.Second {
			t.Errorf("draining took %v", took)
		}
		if n := db.count(operations, "leased"); n != 4 {
			t.Errorf("%d deliveries are left to lease recovery, want 4", n)
		}
	})
}

func TestOutcomesAreRecordedAfterTheStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		running := start(t, fourAtOnce(), db, acknowledges, func(o *Options) {
			o.At = func(p Point, _ *Claimed) {
				if p == AfterCall { // the consumer has answered, and then comes the signal
					db.set(func(db *fakeDB) { db.fault = failing("settle", 5) })
				}
			}
		})
		synctest.Wait()
		running.stop()
		if n := db.count(operations, "acknowledged"); n != 1 {
			t.Error("the outcome was lost")
		}
	})
}

// failing gives a fault that fails a call so many times.
func failing(what string, times int) func(string) error {
	return func(call string) error {
		if call != what || times == 0 {
			return nil
		}
		times--
		return errConnectionLost
	}
}
