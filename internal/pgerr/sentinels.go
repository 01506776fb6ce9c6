package pgerr

import "errors"

// The codes of class OX. The database raises them, each with the name of the invariant that was
// about to be broken.
var (
	// ErrEnvelopeInvalid is OX001: the envelope breaks its profile at the path in DETAIL.
	ErrEnvelopeInvalid = errors.New("envelope invalid")
	// ErrNumberNotExact is OX002: a number does not survive the round trip through an IEEE double.
	ErrNumberNotExact = errors.New("number not exact")
	// ErrDigestMismatch is OX003: a digest differs from the one that was expected or stored.
	ErrDigestMismatch = errors.New("digest mismatch")
	// ErrNoActiveDeliverySet is OX004: nothing was activated yet.
	ErrNoActiveDeliverySet = errors.New("no active delivery set")
	// ErrEventNotApplicable is OX005: the active definition does not know the event, or not so.
	ErrEventNotApplicable = errors.New("event not applicable")
	// ErrDuplicateEvent is OX006: the event id was appended before, see [Error.Identical].
	ErrDuplicateEvent = errors.New("duplicate event")
	// ErrAggregateRevisionConflict is OX007: another event holds this revision of the aggregate.
	ErrAggregateRevisionConflict = errors.New("aggregate revision conflict")

	// ErrDefinitionInvalid is OX010: the delivery set definition breaks a rule.
	ErrDefinitionInvalid = errors.New("delivery set definition invalid")
	// ErrDefinitionConflict is OX011: the version is registered with another content.
	ErrDefinitionConflict = errors.New("delivery set definition conflict")
	// ErrCutoverTimeout is OX012: producers did not leave room for the activation in time.
	ErrCutoverTimeout = errors.New("cutover timed out")
	// ErrActivationInProducingTransaction is OX013: the transaction has appended events.
	ErrActivationInProducingTransaction = errors.New("activation in a producing transaction")

	// ErrStaleFence is OX020: the attempt is not the delivery's current one.
	ErrStaleFence = errors.New("stale fence")
	// ErrAckInvalid is OX021: the acknowledgement or its receipt does not match the frozen member.
	ErrAckInvalid = errors.New("acknowledgement invalid")
	// ErrOutcomeInvalid is OX022: an outcome item does not have its closed shape.
	ErrOutcomeInvalid = errors.New("outcome invalid")
	// ErrArgumentInvalid is OX023: an argument of the call is unknown or out of range.
	ErrArgumentInvalid = errors.New("argument invalid")

	// ErrImmutable is OX030: facts are append-only.
	ErrImmutable = errors.New("immutable")
	// ErrIllegalTransition is OX031: a delivery cannot take this step.
	ErrIllegalTransition = errors.New("illegal transition")
	// ErrPurgeRefused is OX032: facts that are still needed are not removed.
	ErrPurgeRefused = errors.New("purge refused")

	// ErrDeliverySetIncomplete is OX040: an event's deliveries are not exactly its mandatory members.
	ErrDeliverySetIncomplete = errors.New("delivery set incomplete")
)

// Kinds of failure that PostgreSQL itself reports.
var (
	// ErrRefused matches every error of class OX.
	ErrRefused = errors.New("refused by the outbox")
	// ErrUnavailable is a database that cannot be reached or that dropped the connection. Whether
	// the statement took effect is unknown.
	ErrUnavailable = errors.New("database unavailable")
	// ErrReadOnly is a server that takes no writes, such as a standby after a failover.
	ErrReadOnly = errors.New("database is read-only")
	// ErrSerialization is a transaction that lost to another one, and that may be tried again.
	ErrSerialization = errors.New("transaction lost to a concurrent one")
	// ErrPermission is a login, role or privilege that is missing.
	ErrPermission = errors.New("permission denied")
	// ErrMissingObject is a schema, table or function that is missing: the database is not migrated.
	ErrMissingObject = errors.New("database object missing")
	// ErrTimeout is a statement or a lock that took longer than its limit, or that was cancelled.
	ErrTimeout = errors.New("statement timed out")
)
