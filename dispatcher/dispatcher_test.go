package dispatcher

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const operations = "core_operations"

func TestDeliversEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 500)
		running := start(t, testConfig(operations), db, acknowledges)
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 500 })
		running.stop()
		for _, d := range db.rows {
			if len(d.attempts) != 1 {
				t.Errorf("%s took %d attempts", d.EventID, len(d.attempts))
			}
		}
	})
}

func TestNeverHoldsMoreThanItCanCallFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := testConfig(operations)
		d := config.Destinations[operations]
		d.Concurrency, d.Claim.MaxRows = 7, 5
		config.Destinations[operations] = d
		db := newFakeDB()
		db.add(operations, 100)
		var inFlight atomic.Int32
		var highest sync.Mutex
		var most int32
		running := start(t, config, db, func(r *http.Request) (*http.Response, error) {
			n := inFlight.Add(1)
			defer inFlight.Add(-1)
			highest.Lock()
			most = max(most, n)
			highest.Unlock()
			if leased := db.count(operations, "leased"); leased > 2*7 { // in flight, or answered and about to be settled
				t.Errorf("%d leases for 7 slots", leased)
			}
			return slowly(50*time.Millisecond, acknowledges)(r)
		})
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 100 })
		running.stop()
		if most != 7 {
			t.Errorf("%d calls at once, want 7", most)
		}
		for _, claim := range db.claims {
			if claim.limit > 5 {
				t.Errorf("claimed for %d rows at once", claim.limit)
			}
		}
	})
}

func TestOneHangingDestinationHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add("hanging", 100)
		db.add(operations, 1000)
		running := start(t, testConfig("hanging", operations), db, func(r *http.Request) (*http.Response, error) {
			if r.Host == "hanging.test" {
				<-r.Context().Done()
				return nil, context.Cause(r.Context())
			}
			return acknowledges(r)
		})
		began := time.Now()
		db.until(t, "the other is done", func() bool { return db.count(operations, "acknowledged") == 1000 })
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		running.stop()
	})
}

func TestFailedDeliveryIsRetriedUntilItWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 10)
		var calls atomic.Int32
		running := start(t, testConfig(operations), db, func(r *http.Request) (*http.Response, error) {
			if calls.Add(1) <= 30 {
				return response(503, ""), nil
			}
			return acknowledges(r)
		})
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 10 })
		running.stop()
		if n := calls.Load(); n != 40 {
			t.Errorf("%d calls, want 40", n)
		}
	})
}

func TestTwoDispatchersOfOneNameShareTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 400)
		one := start(t, testConfig(operations), db, slowly(10*time.Millisecond, acknowledges))
		two := start(t, testConfig(operations), db, slowly(10*time.Millisecond, acknowledges))
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 400 })
		one.stop()
		two.stop()
		for _, d := range db.rows {
			if len(d.attempts) != 1 {
				t.Errorf("%s took %d attempts", d.EventID, len(d.attempts))
			}
		}
	})
}

func TestBrokenEnvelopeIsNeverSent(t *testing.T) {
	for name, tamper := range map[string]func(*row){
		"digest": func(d *row) { d.EventEnvelopeSha256 = strings.Repeat("00", 32) },
		"not canonical": func(d *row) {
			d.EventEnvelope = append(d.EventEnvelope, ' ')
			d.EventEnvelopeSha256 = hexDigest(d.EventEnvelope)
		},
		"not JSON": func(d *row) { d.EventEnvelope = []byte("{"); d.EventEnvelopeSha256 = hexDigest(d.EventEnvelope) },
		"empty":    func(d *row) { d.EventEnvelope = nil; d.EventEnvelopeSha256 = hexDigest(d.EventEnvelope) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := newFakeDB()
				db.add(operations, 1)
				tamper(db.rows[0])
				running := start(t, testConfig(operations), db, func(*http.Request) (*http.Response, error) {
					t.Error("it was sent")
					return response(503, ""), nil
				})
				db.until(t, "quarantined", func() bool { return db.count(operations, "quarantined") == 1 })
				running.stop()
				if got := db.rows[0].finishes["attempt-1"]; got != "non_retryable envelope_integrity_failed" {
					t.Errorf("finished as %q", got)
				}
			})
		})
	}
}

func TestWhatOnlyANewerReleaseKnowsIsLeftToIt(t *testing.T) {
	for what, change := range map[string]func(*Claimed){
		"digest algorithm": func(c *Claimed) { c.EventEnvelopeDigestAlgorithmVersion = "jcs-sha512-v2" },
		"receipt type":     func(c *Claimed) { c.ExpectedReceiptType = "ReceiptOfALaterRelease" },
		"receipt version":  func(c *Claimed) { c.ExpectedReceiptSchemaVersion = "2" },
	} {
		synctest.Test(t, func(t *testing.T) {
			db := newFakeDB()
			db.add(operations, 1)
			change(&db.rows[0].Claimed)
			running := start(t, testConfig(operations), db, acknowledges)
			db.until(t, "retried", func() bool { return db.finished("attempt-1") != "" })
			running.stop()
			if got := db.finished("attempt-1"); got != "retryable schema_unknown_to_dispatcher" {
				t.Errorf("%s: finished as %q", what, got)
			}
		})
	}
}

func TestClaimsMostlyCarryThePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 2000)
		running := start(t, testConfig(operations), db, slowly(10*time.Millisecond, acknowledges))
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 2000 })
		hinted, all := 0, len(db.claims)
		for _, claim := range db.claims {
			if claim.after != nil {
				hinted++
			}
		}
		if hinted < all/2 || hinted == all {
			t.Errorf("%d of %d claims carried the position", hinted, all)
		}
		db.add(operations, 1)
		db.rows[2000].CreatedMicros = -1 // before the position, as of a transaction that committed late
		db.until(t, "the late one is found", func() bool { return db.count(operations, "acknowledged") == 2001 })
		running.stop()
	})
}

func TestIdlePollingSlowsDownToTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		running := start(t, testConfig(operations), db, acknowledges)
		pause(t.Context(), time.Minute)
		running.stop()
		if n := len(db.claims); n < 60 || n > 70 {
			t.Errorf("%d claims in an idle minute", n)
		}
	})
}

func TestPointsAreReachedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		var mu sync.Mutex
		var seen []Point
		running := start(t, patient(), db, slowly(25*time.Second, acknowledges), func(o *Options) {
			o.At = func(p Point, _ *Claimed) {
				mu.Lock()
				defer mu.Unlock()
				if !slices.Contains(seen, p) {
					seen = append(seen, p)
				}
			}
		})
		db.until(t, "acknowledged", func() bool { return db.count(operations, "acknowledged") == 1 })
		running.stop()
		want := Points()
		slices.Sort(want)
		slices.Sort(seen)
		if !slices.Equal(seen, want) {
			t.Errorf("saw %v, want %v", seen, want)
		}
	})
}

func TestNewRefusesABrokenConfiguration(t *testing.T) {
	if _, err := assemble(Config{}, newFakeDB(), Options{}); err == nil {
		t.Error("an empty configuration was accepted")
	}
	if _, err := New(testConfig(operations), nil, Options{}); err == nil {
		t.Error("a missing pool was accepted")
	}
}
