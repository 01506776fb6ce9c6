package dispatcher

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
)

type slowNetwork struct{ error }

func (slowNetwork) Timeout() bool   { return true }
func (slowNetwork) Temporary() bool { return true }

func TestClassifyTransport(t *testing.T) {
	operation := func(op string, err error) error { return &net.OpError{Op: op, Net: "tcp", Err: err} }
	call := func(n syscall.Errno) error { return os.NewSyscallError("call", n) }
	tests := []verdictTest{
		{"refused", failed(operation("dial", call(syscall.ECONNREFUSED))), Retryable, codeConnectionRefused},
		{"reset before the answer", failed(operation("read", call(syscall.ECONNRESET))), Retryable, codeConnectionReset},
		{"broken pipe", failed(operation("write", call(syscall.EPIPE))), Retryable, codeConnectionReset},
		{"aborted", failed(operation("read", call(syscall.ECONNABORTED))), Retryable, codeConnectionReset},
		{"closed before the answer", failed(io.EOF), Retryable, codeConnectionReset},
		{"cut in the headers", failed(io.ErrUnexpectedEOF), Retryable, codeConnectionReset},
		{"idle connection closed", failed(errors.New("http: server closed idle connection")), Retryable, codeConnectionReset},
		{"unreachable", failed(operation("dial", call(syscall.EHOSTUNREACH))), Retryable, codeConnectionFailed},
		{"network down", failed(operation("dial", call(syscall.ENETUNREACH))), Retryable, codeConnectionFailed},
		{"anything", failed(errors.New("anything")), Retryable, codeConnectionFailed},
		{"no such host", failed(operation("dial", &net.DNSError{IsNotFound: true})), Retryable, codeDNSFailure},
		{"resolver timed out", failed(operation("dial", &net.DNSError{IsTimeout: true})), Retryable, codeDNSFailure},
		{"resolver broken", failed(&net.DNSError{Err: "server misbehaving"}), Retryable, codeDNSFailure},
		{"our deadline", failed(fmt.Errorf("%w: %w", errCallTimeout, context.DeadlineExceeded)), Retryable, codeTimeout},
		{"deadline", failed(context.DeadlineExceeded), Retryable, codeTimeout},
		{"i/o timeout", failed(operation("read", os.ErrDeadlineExceeded)), Retryable, codeTimeout},
		{"network timeout", failed(slowNetwork{errors.New("slow")}), Retryable, codeTimeout},
		{"kernel timeout", failed(operation("dial", call(syscall.ETIMEDOUT))), Retryable, codeTimeout},
		{"certificate", failed(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}), Retryable, codeTLSFailure},
		{"authority", failed(x509.UnknownAuthorityError{}), Retryable, codeTLSFailure},
		{"host name", failed(x509.HostnameError{Certificate: &x509.Certificate{}}), Retryable, codeTLSFailure},
		{"expired", failed(x509.CertificateInvalidError{Reason: x509.Expired}), Retryable, codeTLSFailure},
		{"not TLS", failed(tls.RecordHeaderError{Msg: "x"}), Retryable, codeTLSFailure},
		{"plain HTTP on TLS", failed(http.ErrSchemeMismatch), Retryable, codeTLSFailure},
		{"alert", failed(operation("remote error", errors.New("tls: bad certificate"))), Retryable, codeTLSFailure},
		{"not HTTP", failed(errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "x"`)), Retryable, codeResponseUnreadable},
		{"lease lost", failed(fmt.Errorf("%w: %w", errLeaseLost, context.Canceled)), Retryable, codeLeaseLost},
		{"drained", failed(fmt.Errorf("%w: %w", errDrained, context.Canceled)), Retryable, codeCallCancelled},
		{"cancelled", failed(context.Canceled), Retryable, codeCallCancelled},
		{"nothing at all", Answer{}, Retryable, codeResponseUnreadable},

		{"body cut", cut(200, io.ErrUnexpectedEOF), Retryable, codeResponseUnreadable},
		{"body reset", cut(200, operation("read", call(syscall.ECONNRESET))), Retryable, codeConnectionReset},
		{"body drips", cut(200, fmt.Errorf("%w: %w", errCallTimeout, context.DeadlineExceeded)), Retryable, codeTimeout},
		{"body broken", cut(200, errors.New("invalid byte in chunk length")), Retryable, codeResponseUnreadable},
		{"body and lease lost", cut(200, errLeaseLost), Retryable, codeLeaseLost},
		{"error page and lease lost", cut(500, errLeaseLost), Retryable, codeLeaseLost},
		{"error page and drained", cut(422, errDrained), Retryable, codeCallCancelled},
		{"body too long", tooLong(200), Retryable, codeResponseTooLarge},
	}
	checkVerdicts(t, firstVersion(operationsReceipt), tests)
}
