// Command snapshot copies the database code into the migration that installs it.
//
// Functions, triggers, views and grants are edited in place under sql/: everything there but the
// migrations and the roles, put in order by install.sql. A DBA needs nothing but tern and
// the migrations folder, so a release carries a copy of that code: sql/migrations/snapshots/NNN
// holds the code package, and the migration NNN_install_code.sql installs it. NNN is the number of
// the one install migration that no release has published yet, or the next free number. It is always
// the last one: code is installed after the tables it needs. Where a new migration took its number,
// as schemagen does, the migration and its snapshot move up by one.
//
//	go run ./internal/snapshot            bring the unreleased snapshot up to date
//	go run ./internal/snapshot --check    fail unless it is, and unless released files are untouched
//	go run ./internal/snapshot --release  pin every file of sql/migrations that is not pinned yet
//
// What was released is pinned by sql/migrations/released.sha256, in the form that
// `sha256sum --check` reads. The command refuses to work beside a released file that changed, and it
// never writes one.
package main
