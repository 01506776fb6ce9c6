// Command outbox installs, checks and runs a PostgreSQL transactional outbox.
//
// One file holds one command. A command talks to the database through its functions and views
// alone and reports what they say; rules live there, not here. Errors travel up to execute, which
// prints one line on standard error and chooses the exit status; only main.go exits.
package main
