// Package delivery holds the database to what it promises about deliveries: how they are claimed, that only the current
// attempt counts, what an acknowledgement must be, when an event is published, which states may follow each other, and
// what recovery does. Events are appended as outbox_producer and worked on as outbox_dispatcher; the tests that break
// rules by hand speak as outbox_owner or as a superuser.
package delivery_test

import (
	"os"
	"testing"

	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }
