// Package pgserver gives the demo and the tests a PostgreSQL of their own.
//
// Three sources are tried in this order, and OUTBOX_TEST_SERVER=url|container|local forces one of them:
//
//   - url: the server that OUTBOX_TEST_DATABASE_URL names. It belongs to somebody else, so it is neither configured,
//     restarted nor stopped; the user there needs CREATEDB and CREATEROLE, no more.
//   - container: when a Docker engine answers, a container of OUTBOX_TEST_IMAGE (postgres:17 unless set). An image that
//     is present is preferred to one that must be pulled, and outbox-postgres:17, which `make image` builds from Debian
//     packages, stands in where nothing can be pulled.
//   - local: the newest PostgreSQL binaries of this machine, in a private temporary cluster that listens on a Unix
//     socket only. OUTBOX_TEST_PGBIN names a directory of binaries to use instead. Started by root, the server runs as
//     an unprivileged user, because PostgreSQL refuses to run as root.
//
// Where the server is private, the variables of a PostgreSQL client (PGSERVICE, PGOPTIONS, PGSSLMODE, …) are taken out of
// the environment of this process: they were meant for another server. With a server that is given they hold.
//
// A private server never outlives the process that started it, not even one that was killed: a local postmaster gets a
// parent-death signal and a small shell, waiting on a pipe, removes its directory; a container watches its standard
// input and removes itself when the attached client is gone. Options.Detached turns both off.
package pgserver
