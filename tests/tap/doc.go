// Package tap is pgTAP's vocabulary in Go: assertions about a database that a DBA can read.
//
//	tap.Throws(t, db, "OX020", "attempt_is_current", "select outbox.acknowledge_delivery($1::json)", outcome)
//	tap.ResultsEq(t, db, tap.Rows{{"core_operations", 1}}, "select destination, attempt_count from outbox.deliveries")
//	tap.FunctionPrivsAre(t, db, "outbox", "append_event", "outbox_producer", "EXECUTE")
//
// The arguments come in one order everywhere: the test, a session, what is expected, and then the statement with its
// parameters or the name of the object. An assertion that does not hold fails the test and lets it go on; a statement
// that should not fail but does ends it. Inside a transaction a statement that is expected to fail runs behind a
// savepoint, so the transaction stays usable.
package tap
