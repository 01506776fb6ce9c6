package pgerr

import "strings"

// Refusals gives the sentinel of every code of class OX that this binary knows. The database lists the
// same codes in outbox.errors; a newer schema may raise further ones, which match ErrRefused alone.
func Refusals() map[string]error {
	return map[string]error{
		"OX001": ErrEnvelopeInvalid,
		"OX002": ErrNumberNotExact,
		"OX003": ErrDigestMismatch,
		"OX004": ErrNoActiveDeliverySet,
		"OX005": ErrEventNotApplicable,
		"OX006": ErrDuplicateEvent,
		"OX007": ErrAggregateRevisionConflict,
		"OX010": ErrDefinitionInvalid,
		"OX011": ErrDefinitionConflict,
		"OX012": ErrCutoverTimeout,
		"OX013": ErrActivationInProducingTransaction,
		"OX020": ErrStaleFence,
		"OX021": ErrAckInvalid,
		"OX022": ErrOutcomeInvalid,
		"OX023": ErrArgumentInvalid,
		"OX030": ErrImmutable,
		"OX031": ErrIllegalTransition,
		"OX032": ErrPurgeRefused,
		"OX040": ErrDeliverySetIncomplete,
	}
}

// kinds gives every sentinel that a SQLSTATE matches.
func kinds(sqlstate string) []error {
	if strings.HasPrefix(sqlstate, "OX") {
		if known := Refusals()[sqlstate]; known != nil {
			return []error{ErrRefused, known}
		}
		return []error{ErrRefused}
	}
	if kind := weather(sqlstate); kind != nil {
		return []error{kind}
	}
	return nil
}

// weather gives the sentinel of a standard SQLSTATE, or nil.
func weather(sqlstate string) error {
	switch sqlstate {
	case "57P01", "57P02", "57P03", "57P05", // shut down, crashed, starting up, idle for too long
		"53300", // too many connections
		"3D000", // no such database
		"57P04", // the database was dropped
		"25P03", // idle in transaction for too long
		"25P04": // transaction open for too long
		return ErrUnavailable
	case "25006":
		return ErrReadOnly
	case "40001", "40P01":
		return ErrSerialization
	case "42501", "28000", "28P01": // privilege missing; login refused
		return ErrPermission
	case "3F000", "42P01", "42704", "42883", "42703": // schema, table, type, function, column
		return ErrMissingObject
	case "57014", "55P03":
		return ErrTimeout
	}
	if strings.HasPrefix(sqlstate, "08") {
		return ErrUnavailable
	}
	return nil
}
