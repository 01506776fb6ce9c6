// Command outbox-demo shows the outbox at work on a PostgreSQL of its own, and checks what it shows.
//
// It starts a private server with two databases, a producer's and a consumer's, installs both, registers and activates
// the first delivery set, serves the four consumers on loopback, and plays the lives of a few runs. A dispatcher, a
// child process of this one, delivers. On the way one consumer fails twice, and one dispatcher is killed with SIGKILL
// while a consumer has committed an event but not yet answered; a second dispatcher takes over.
//
// At the end every claim is checked against the databases and the consumers: everything published, exactly the
// deliveries that were frozen, each event applied exactly once by each of its consumers, no invariant broken. The exit
// status is 0 only then.
//
// The demo is a binary of its own, so that the product links no test server.
package main
