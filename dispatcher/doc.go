// Package dispatcher delivers the events of one outbox database to HTTP consumers.
//
// # What it is
//
// A Dispatcher holds no truth. Everything it knows it has read from the database, and everything it
// decides it hands back to a function there, which may say no. Any number of dispatchers may work on
// one database; each may be killed at any instruction, and nothing is lost: what it had claimed is
// recovered by whichever dispatcher looks next, and a consumer that has already applied an event
// answers the redelivery with its first receipt.
//
// # The start
//
// A configuration is judged twice: by Validate, for what this process itself can work with, and before
// the first claim by the database, which alone knows its destinations and the bounds of its functions.
// The second is asked with calls that change nothing, and a refusal names the file's line.
//
// # The way of a delivery
//
// One lane for each destination claims what it has room to call for at once. A claimed delivery is
// verified (its stored bytes are canonical and hash to the stored digest), posted byte for byte, and
// the answer is classified by Classify, a pure function. The outcome goes to the settler, which the
// lanes share and which brings outcomes to the database in batches, asking again until the database
// has answered. The slot of a call is free as soon as the consumer has answered; the number of
// outcomes that wait for the database is bounded, so that a slow database slows the claims.
//
// From claim to settle the attempt's lease is renewed. A call is cancelled when the database says
// that its attempt is no longer current, or when no renewal was confirmed by the dispatcher's own
// deadline, which is never later than the database's. No Go time decides a lease; the fence is the
// identity of the attempt.
//
// # Claims
//
// Claims poll. The pause between them adapts between a floor and a ceiling, and there is none while
// claims come back full. Most claims carry the position of the last claimed row, so that they skip
// what is done but not vacuumed; claims without it run on a period, find what sits before the
// position, and take no more than a tenth of the time.
//
// # Weather
//
// Losing the database (a restart, a failover, a terminated backend, a server gone read-only) is
// weather: each loop tries again with growing pauses for as long as it takes, and Run goes on. Every
// call is one short transaction of its own, begun READ COMMITTED, without session state, so that a
// transaction pooler may stand in between. No transaction is open during an HTTP call.
//
// # Stopping
//
// When the context of Run ends, claiming stops. Calls in flight get the drain time to finish; what
// was claimed and not sent is given back at once; outcomes reach the database under a context that
// outlives the cancelled one, within a bound. What is left then is left to lease recovery.
package dispatcher
