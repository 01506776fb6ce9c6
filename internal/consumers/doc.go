// Package consumers holds the four consumers that the demo and the tests deliver to.
//
// A consumer is an http.Handler. A call is one delivery: frozen coordinates in the headers, the canonical envelope as
// the body, byte for byte, so that sha256(body) is the digest that the producer froze. Every consumer does the same
// five things in the same order:
//
//  1. verify: the headers name this consumer, the body hashes to the announced digest, is canonical, and is a closed
//     EventEnvelope@1 of an event that this consumer knows;
//  2. look up the receipt it may already have for this event, and answer with exactly that one;
//  3. decide what the event means to its state, or answer retryable while it cannot (a revision gap, an unbound fence);
//  4. commit the state and a content-addressed receipt together;
//  5. answer with an ActiveConsumerAck@1 and the full receipt.
//
// The [Projector] keeps its projection and its receipts in PostgreSQL: one transaction of the consumer's own database
// calls inbox.record_receipt and applies the event. The three [Receiver]s keep theirs in memory. Receipts are built by
// pure functions of the delivery and of the state that the event left behind; the receipt's own reference and time are
// no part of its digest.
//
// [Faults] makes a consumer misbehave on purpose: fail, hang, or commit and then lose the answer.
package consumers
