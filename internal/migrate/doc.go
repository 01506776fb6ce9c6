// Package migrate installs and checks the product's database schema with tern's migrations.
//
// The files are those of sql/migrations, which the stock tern binary applies just as well: both
// keep the version in VersionTable and both take tern's advisory lock, so they may even be started
// at the same time.
//
// Tables are migrated, code is installed again. A release's last migration installs a snapshot of
// the functions, triggers and grants; Install does the same with the working copy, for developers
// and tests.
//
// Roles belong to the cluster, not to a database, and need other privileges than a migration, so
// they are a step of their own.
//
// Any number of processes may call Up at once, on a database that has never been migrated too: one
// of them works, the others wait without a transaction or a snapshot of their own (which would make
// a `create index concurrently` of the first one wait for them) and then find nothing to do. The
// lock belongs to the session, so a transaction pooler must not stand in between.
package migrate
