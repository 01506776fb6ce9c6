// Package testdb gives every test a database of its own, at the price of a file copy.
//
// A test binary has one server (package pgserver decides which), on it a template that was migrated once, and clones of
// the template, one per test, so that tests run in parallel and never see each other. Binaries may share a server: every
// database and login of one carries the same random name.
//
//	func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }
//
//	func TestSomething(t *testing.T) {
//		t.Parallel()
//		d := testdb.NewActive(t)
//		producer := d.As(t, "outbox_producer")
//		...
//	}
//
// The database goes when the test ends. A test that fails says where its database is, and with OUTBOX_TEST_KEEP=1 it
// stays there, on a server that goes on running and that the end of the run says how to end.
//
// The admin of a private server is a superuser. On a server that was given by URL it may be any user with CREATEDB and
// CREATEROLE: tests that need more ask DB.IsSuperuser and skip.
package testdb
