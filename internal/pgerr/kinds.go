package pgerr

import "strings"

// refusal gives the sentinel of one code of class OX, or nil for a code this binary does not know,
// which a newer schema may raise.
func refusal(sqlstate string) error {
	switch sqlstate {
	case "OX001":
		return ErrEnvelopeInvalid
	case "OX002":
		return ErrNumberNotExact
	case "OX003":
		return ErrDigestMismatch
	case "OX004":
		return ErrNoActiveDeliverySet
	case "OX005":
		return ErrEventNotApplicable
	case "OX006":
		return ErrDuplicateEvent
	case "OX007":
		return ErrAggregateRevisionConflict
	case "OX010":
		return ErrDefinitionInvalid
	case "OX011":
		return ErrDefinitionConflict
	case "OX012":
		return ErrCutoverTimeout
	case "OX013":
		return ErrActivationInProducingTransaction
	case "OX020":
		return ErrStaleFence
	case "OX021":
		return ErrAckInvalid
	case "OX022":
		return ErrOutcomeInvalid
	case "OX023":
		return ErrArgumentInvalid
	case "OX030":
		return ErrImmutable
	case "OX031":
		return ErrIllegalTransition
	case "OX032":
		return ErrPurgeRefused
	case "OX040":
		return ErrDeliverySetIncomplete
	}
	return nil
}

// kinds gives every sentinel that a SQLSTATE matches.
func kinds(sqlstate string) []error {
	if strings.HasPrefix(sqlstate, "OX") {
		if known := refusal(sqlstate); known != nil {
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
