package dispatcher

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
)

// Why a call or a database call was given up by this process itself.
var (
	errCallTimeout  = errors.New("the call took longer than call_timeout")
	errLeaseLost    = errors.New("the lease could not be kept")
	errDrained      = errors.New("the drain time is over")
	errDatabaseSlow = errors.New("the database took longer than database.call_timeout")
	errProtocol     = errors.New("the database's answer is not the one this release expects")
)

// ownCode gives the code of a call that this process gave up, or "".
func ownCode(err error) string {
	switch {
	case errors.Is(err, errLeaseLost):
		return codeLeaseLost
	case errors.Is(err, errDrained), errors.Is(err, context.Canceled):
		return codeCallCancelled
	}
	return ""
}

// transportCode gives the code of a call that ended without a whole answer. answered tells that the
// status and the headers had come. Whatever is unknown is a failed connection, and retried.
func transportCode(err error, answered bool) string {
	var resolve *net.DNSError
	var timeout net.Error
	switch {
	case ownCode(err) != "":
		return ownCode(err)
	case errors.As(err, &resolve):
		return codeDNSFailure
	case errors.Is(err, errCallTimeout), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return codeTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return codeConnectionRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return codeConnectionReset
	case tlsFailed(err):
		return codeTLSFailure
	case answered, strings.Contains(err.Error(), "malformed "):
		return codeResponseUnreadable
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		strings.Contains(err.Error(), "server closed idle connection"):
		return codeConnectionReset
	}
	return codeConnectionFailed
}

func tlsFailed(err error) bool {
	var (
		record      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
		invalid     x509.CertificateInvalidError
	)
	return errors.As(err, &record) || errors.As(err, &certificate) || errors.As(err, &authority) ||
		errors.As(err, &hostname) || errors.As(err, &invalid) || errors.Is(err, http.ErrSchemeMismatch) ||
		strings.Contains(err.Error(), "tls: ")
}
