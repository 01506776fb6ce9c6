package dispatcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oceanway/outbox/internal/pgerr"
)

func TestADatabaseThatIsAwayForAnHourIsWeather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := newFakeDB()
		db.add(operations, 100)
		db.fault = func(call string) error {
			if call == "ask" { // it was still there at the start
				return nil
			}
			return errConnectionLost
		}
		var log bytes.Buffer
		running := start(t, testConfig(operations), db, acknowledges, func(o *Options) {
			o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		})
		pause(t.Context(), time.Hour)
		tries := 0
		db.set(func(db *fakeDB) { db.fault, tries = nil, len(db.claims) })
		began := time.Now()
		db.until(t, "all acknowledged", func() bool { return db.count(operations, "acknowledged") == 100 })
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v to come back", took)
		}
		running.stop()
		if tries < 700 || tries > 3600 {
			t.Errorf("%d claims were tried in the hour", tries)
		}
		if lines := strings.Count(log.String(), "failed, trying again"); lines > 40 {
			t.Errorf("%d lines about it", lines)
		}
		if !strings.Contains(log.String(), "works again") {
			t.Error("nothing says that it is over")
		}
	})
}

func TestItemFaultsAreToldFromWeather(t *testing.T) {
	for code, want := range map[string]bool{
		"OX022": true, "OX040": true, "OX999": true, "22P02": true, "22003": true, "23505": true, "54001": true, "P0001": true, "XX000": true,
		"57P01": false, "57P03": false, "57014": false, "25006": false, "40001": false, "40P01": false, "08006": false,
		"53100": false, "53300": false, "55P03": false, "58030": false, "42501": false, "42883": false, "3D000": false, "28P01": false,
	} {
		if got := itemFault(fmt.Errorf("call: %w", pgerr.Translate(&pgconn.PgError{Code: code}))); got != want {
			t.Errorf("%s: item fault %v, want %v", code, got, want)
		}
	}
	for _, err := range []error{errConnectionLost, context.DeadlineExceeded, errors.New("anything")} {
		if itemFault(err) {
			t.Errorf("%v is an item fault", err)
		}
	}
}

func TestTheLogQuotesNoData(t *testing.T) {
	quoted := pgerr.Translate(&pgconn.PgError{Code: "22P02", Message: `invalid input syntax: "secret"`})
	if line := describe(quoted); strings.Contains(line, "secret") || !strings.Contains(line, "22P02") {
		t.Errorf("the log says %q", line)
	}
	refused := pgerr.Translate(&pgconn.PgError{Code: "OX023", ConstraintName: "lease_is_bounded", Message: "argument p_lease"})
	if line := describe(refused); !strings.Contains(line, "lease_is_bounded") {
		t.Errorf("the log says %q", line)
	}
}
