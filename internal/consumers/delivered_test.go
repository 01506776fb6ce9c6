package consumers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/dispatcher"
	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

// Names and versions with everything that a header cannot carry as it is.
const (
	oddSet     = "Fassung 2; \"é\" 100% +"
	oddName    = "Übersicht; a;b=c%3B 100% \"neu\" 😀"
	oddVersion = " 1;β+"
)

// oddDefinition is the first release under an odd version, with an odd projection target.
func oddDefinition() fixture.Object {
	return fixture.Definition(oddSet, func(definition fixture.Object) {
		for _, item := range definition["members"].([]any) {
			target := item.(fixture.Object)["projectionTarget"].(fixture.Object)
			if target["state"] == "required" {
				target["projectionName"], target["projectionVersion"] = oddName, oddVersion
			}
		}
	})
}

// deliver runs a dispatcher that serves one address, until every event is published.
func deliver(t *testing.T, db *testdb.DB, address string) {
	t.Helper()
	config := dispatcher.DefaultConfig()
	config.Source, config.Database.URL = "/test", db.LoginURL(t, "outbox_dispatcher")
	config.Defaults.Backoff.Floor = 100 * time.Millisecond
	config.Destinations = map[string]dispatcher.Destination{
		fixture.Operations: {URL: address, Delivery: config.Defaults},
	}
	pools, err := pgxpool.ParseConfig(config.Database.URL)
	if err != nil {
		t.Fatal(err)
	}
	config.Database.Prepare(pools)
	pool, err := pgxpool.NewWithConfig(t.Context(), pools)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	d, err := dispatcher.New(config, pool, dispatcher.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	admin := db.Conn(t)
	testdb.Await(t, "every event is published", func() bool {
		return tap.Value[bool](t, admin, `select not exists (
			select from outbox.events as e where not exists (select from outbox.event_publications as p where p.event_id = e.event_id))`)
	})
}

func TestAnyNameOfAProjectionIsReceiptedAsItWasFrozen(t *testing.T) {
	th := openTheatre(t, nil)
	definition := oddDefinition()
	fixture.Register(t, th.admin, definition)
	fixture.Activate(t, th.admin, definition)
	event := operations(t, newRun(t, "delivered", 1), "run", nil)
	fixture.Append(t, th.admin, string(event.body))
	server := httptest.NewServer(th.projector)
	t.Cleanup(server.Close)
	deliver(t, th.db, server.URL)

	tap.ResultsEq(t, th.admin, tap.Rows{{"acknowledged", 1, oddSet, oddName, oddVersion}}, `
		select d.status, d.attempt_count, e.delivery_set_version, d.required_projection_name, d.required_projection_version
		from outbox.deliveries as d join outbox.events as e using (event_id)`)
	tap.ResultsEq(t, th.admin, tap.Rows{{oddName, oddVersion}},
		"select receipt::json ->> 'projectionName', receipt::json ->> 'projectionVersion' from inbox.receipts")
	tap.ResultsEq(t, th.admin, tap.Rows{{oddName, oddVersion}}, "select projection_name, projection_version from operations_demo.timeline")
	tap.IsEmpty(t, th.admin, "select * from outbox.verify(p_canonical => true)")
	equal(t, "applied", th.tracker.Times(consumers.KindOperations, event.eventID), 1)
}

// padded is an event whose canonical envelope has this many bytes.
func padded(t *testing.T, size int) letter {
	t.Helper()
	pad := func(n int) letter {
		return operations(t, newRun(t, "padded", 1), "run", func(e map[string]any) {
			e["payload"].(map[string]any)["padding"] = strings.Repeat("x", n)
		})
	}
	return pad(size - len(pad(0).body))
}

func TestNoEnvelopeThatADatabaseCanAcceptIsTooLarge(t *testing.T) {
	const most = 1 << 20
	th := openTheatre(t, nil)
	const change = "select outbox.change_settings(json_build_object('max_envelope_bytes', $1::int), 'test')"
	tap.LivesOK(t, th.admin, change, most)
	tap.Throws(t, th.admin, "23514", "max_envelope_bytes_is_sane", change, most+1)

	acknowledged(t, th.projector, padded(t, most))
	status, _ := post(t, th.projector, padded(t, most+1))
	equal(t, "status", status, http.StatusRequestEntityTooLarge)
}
