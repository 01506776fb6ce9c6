package pgerr

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Error is one report of PostgreSQL.
type Error struct {
	// SQLState is the five characters of the report.
	SQLState string
	// Invariant is the name of the invariant or constraint; often empty outside class OX.
	Invariant string
	Message   string
	Detail    string
	Hint      string

	kinds []error
	cause error
}

// Error gives the report in one line: SQLSTATE, invariant, message, DETAIL and HINT, without those
// that are absent.
func (e *Error) Error() string {
	var line strings.Builder
	line.WriteString(e.SQLState)
	if e.Invariant != "" {
		line.WriteString(" " + e.Invariant)
	}
	line.WriteString(": " + oneLine(e.Message))
	if e.Detail != "" {
		line.WriteString("; detail: " + oneLine(e.Detail))
	}
	if e.Hint != "" {
		line.WriteString("; hint: " + oneLine(e.Hint))
	}
	return line.String()
}

// Unwrap gives the sentinels that the error matches and the driver's own error.
func (e *Error) Unwrap() []error {
	return append(append([]error(nil), e.kinds...), e.cause)
}

// Identical tells of an ErrDuplicateEvent that the stored event is the very same one, so that a
// retrying producer may take the refusal as success.
func (e *Error) Identical() bool {
	return e.SQLState == "OX006" && e.Detail == "identical"
}

// Translate gives err as an *Error when PostgreSQL reported it, as an error that matches
// ErrUnavailable when the connection failed, and unchanged otherwise. A nil error stays nil, and an
// error that was translated before stays as it is.
func Translate(err error) error {
	if err == nil {
		return nil
	}
	if _, done := errors.AsType[*Error](err); done || errors.Is(err, ErrUnavailable) {
		return err
	}
	if report, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &Error{
			SQLState:  report.Code,
			Invariant: report.ConstraintName,
			Message:   report.Message,
			Detail:    report.Detail,
			Hint:      report.Hint,
			kinds:     kinds(report.Code),
			cause:     err,
		}
	}
	if connectionFailed(err) {
		return &unavailable{cause: err}
	}
	return err
}

// unavailable is a connection that failed without a report of the server.
type unavailable struct{ cause error }

func (e *unavailable) Error() string   { return oneLine(e.cause.Error()) }
func (e *unavailable) Unwrap() []error { return []error{ErrUnavailable, e.cause} }

// connectionFailed tells a lost or refused connection from an error of the program. A cancelled
// context is neither: the caller gave up, the server did not.
func connectionFailed(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return !errors.Is(err, context.Canceled)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, pgconn.ErrConnClosed)
}

// oneLine joins the lines of a message, so that one error stays one line of a log.
func oneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
