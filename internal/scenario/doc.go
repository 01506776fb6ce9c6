// Package scenario plays the life of one run: a customer's run is admitted, executed, metered, finalized after a
// reconciliation, corrected upwards against an approval, and corrected downwards at last.
//
// A life is a list of domain transactions. Each changes the domain's own table and appends its events in the same
// PostgreSQL transaction, as the role outbox_producer and through outbox.append_event or outbox.append_events alone.
// Together they use all thirteen event types of the first delivery set. Identities are derived from a seed and the
// run's number, so that a life can be told again; event ids and times are the database's.
//
// Payloads carry what the consumers' receipts need and what the owning domain promises its readers. The facts that
// they address are not part of this repository; their addresses are derived like every other identity.
//
// A transaction may await that earlier events were consumed, as the domains do: the finalization of a run, for one,
// waits until its coordinator has taken the closure. A caller without consumers plays without waiting.
package scenario
