package dispatcher

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/internal/pgerr"
)

func TestASettleWhoseResponseWasLostIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 50)
		db.lost = failing("settle", 7)
		var calls atomic.Int32
		running := start(t, testConfig(operations), db, func(r *http.Request) (*http.Response, error) {
			calls.Add(1)
			return acknowledges(r)
		})
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 50 })
		running.stop()
		if n := calls.Load(); n != 50 {
			t.Errorf("%d calls: what was lost is the response, not the delivery", n)
		}
	})
}

func TestAClaimWhoseResponseWasLostWaitsForRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 5)
		db.lost = failing("claim", 1)
		began := time.Now()
		running := start(t, testConfig(operations), db, acknowledges)
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 5 })
		running.stop()
		if took := time.Since(began); took < 30*time.Second || took > 35*time.Second {
			t.Errorf("it took %v, want the lease and a sweep", took)
		}
	})
}

func TestAnInvalidOutcomeIsSettledAsRetryable(t *testing.T) {
	for detail, code := range map[string]string{
		"receipt_digest_matches: /receipt/x":    codeReceiptDigestMismatch,
		"ack_matches_member: /ack/destination":  codeReceiptMemberMismatch,
		"receipt_matches_member: /receipt/kind": codeReceiptMemberMismatch,
		"outcome_shape: /errorCode":             codeAckMalformed,
		"ack_shape: /ack":                       codeAckMalformed,
		"receipt_shape: /receipt":               codeAckMalformed,
		"of_a_later_release":                    codeAckMalformed,
	} {
		t.Run(detail, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := newFakeDB()
				db.add(operations, 3)
				db.judge = func(o Outcome) (string, string) {
					if o.Kind == Acknowledged && o.AttemptID == "attempt-2" {
						return resultInvalid, detail
					}
					return "", ""
				}
				running := start(t, testConfig(operations), db, acknowledges)
				db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 3 })
				running.stop()
				if got := db.finished("attempt-2"); got != "retryable "+code {
					t.Errorf("finished as %q", got)
				}
			})
		})
	}
}

func TestAnOutcomeRefusedTwiceIsLeftToRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		db.judge = func(o Outcome) (string, string) {
			if o.AttemptID == "attempt-1" {
				return resultInvalid, "outcome_shape: not an object"
			}
			return "", ""
		}
		running := start(t, testConfig(operations), db, acknowledges)
		db.until(t, "acknowledged", func() bool { return db.count(operations, "acknowledged") == 1 })
		running.stop()
		if got := db.finished("attempt-1"); got != "lease_expired_unknown" {
			t.Errorf("finished as %q", got)
		}
	})
}

func TestOneBadOutcomeHoldsUpNoOther(t *testing.T) {
	for _, code := range []string{"22P02", "OX040", "XX000", "57014"} {
		t.Run(code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := newFakeDB()
				db.add(operations, 300)
				bad := db.rows[123].EventID
				db.refuse = func(outcomes []Outcome) error {
					for _, o := range outcomes {
						if o.EventID == bad && (len(outcomes) > 1 || code != "57014") {
							return pgerr.Translate(&pgconn.PgError{Code: code})
						}
					}
					return nil
				}
				config := testConfig(operations)
				d := config.Destinations[operations]
				d.Concurrency = 300
				config.Destinations[operations] = d
				running := start(t, config, db, acknowledges)
				want := 299
				if code == "57014" {
					want = 300 // alone it is quick enough
				}
				db.until(t, "the others are acknowledged", func() bool { return db.count(operations, "acknowledged") == want })
				running.stop()
			})
		})
	}
}

func TestBatchesAreBounded(t *testing.T) {
	for name, bound := range map[string]Settle{
		"rows":  {MaxRows: 10, MaxBytes: 1 << 20},
		"bytes": {MaxRows: 1000, MaxBytes: 5000},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config := testConfig(operations)
				config.Settle.MaxRows, config.Settle.MaxBytes = bound.MaxRows, bound.MaxBytes
				d := config.Destinations[operations]
				d.Concurrency = 100
				config.Destinations[operations] = d
				db := newFakeDB()
				db.add(operations, 200)
				most := 0
				db.refuse = func(outcomes []Outcome) error {
					size := int64(0)
					for i := range outcomes {
						size += outcomes[i].size()
					}
					most = max(most, len(outcomes))
					if len(outcomes) > bound.MaxRows || size > bound.MaxBytes {
						t.Errorf("%d outcomes of about %d bytes at once", len(outcomes), size)
					}
					return nil
				}
				running := start(t, config, db, acknowledges)
				db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 200 })
				running.stop()
				if most < 2 {
					t.Error("nothing was batched")
				}
			})
		})
	}
}

func TestASlowDatabaseStopsTheClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := testConfig(operations)
		config.Settle.MaxRows = 10
		db := newFakeDB()
		db.add(operations, 1000)
		db.fault = func(call string) error {
			if call == "settle" {
				return errConnectionLost
			}
			return nil
		}
		running := start(t, config, db, acknowledges)
		pause(t.Context(), 20*time.Second)
		held := db.count(operations, "leased")
		if most := 16 + 2*10; held > most {
			t.Errorf("%d deliveries are held, want at most %d", held, most)
		}
		db.set(func(db *fakeDB) { db.fault = nil })
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 1000 })
		running.stop()
	})
}

func TestWhatAConsumerSaysIsSettledAsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 1)
		var settled []Outcome
		db.refuse = func(outcomes []Outcome) error {
			settled = append(settled, outcomes...)
			return nil
		}
		running := start(t, testConfig(operations), db, func(*http.Request) (*http.Response, error) {
			return response(422, `{"result":"non_retryable","errorCode":"schema_unknown","errorRef":"log 7é😀`+
				strings.Repeat("x", 249)+`"}`), nil
		})
		db.until(t, "quarantined", func() bool { return db.count(operations, "quarantined") == 1 })
		running.stop()
		o := settled[0]
		if o.Kind != NonRetryable || o.Code != "schema_unknown" || o.Reason != "schema_unknown" || o.DelayMs != nil {
			t.Errorf("settled %+v", o)
		}
		if !strings.HasPrefix(o.Ref, "log 7??xxx") || len(o.Ref) != 200 {
			t.Errorf("reference %q", o.Ref)
		}
	})
}
