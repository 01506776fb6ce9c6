package dispatcher

// The error codes that this package gives itself. The database keeps the closed registry of them.
const (
	codeAckMissing            = "ack_missing"
	codeAckMalformed          = "ack_malformed"
	codeReceiptDigestMismatch = "receipt_digest_mismatch"
	codeReceiptMemberMismatch = "receipt_member_mismatch"
	codeReleasedUnsent        = "released_unsent"
	codeSchemaUnknown         = "schema_unknown_to_dispatcher"
	codeEnvelopeIntegrity     = "envelope_integrity_failed"
	codeLeaseLost             = "lease_lost"

	codeHTTPRedirect         = "http_redirect"
	codeHTTPBadRequest       = "http_bad_request"
	codeHTTPUnauthorized     = "http_unauthorized"
	codeHTTPForbidden        = "http_forbidden"
	codeHTTPNotFound         = "http_not_found"
	codeHTTPMethodNotAllowed = "http_method_not_allowed"
	codeHTTPRequestTimeout   = "http_request_timeout"
	codeHTTPConflict         = "http_conflict"
	codeHTTPGone             = "http_gone"
	codeHTTPUnprocessable    = "http_unprocessable"
	codeHTTPTooManyRequests  = "http_too_many_requests"
	codeHTTPClientError      = "http_client_error"
	codeHTTPServerError      = "http_server_error"
	codeHTTPUnexpectedStatus = "http_unexpected_status"

	codeConnectionRefused  = "connection_refused"
	codeConnectionReset    = "connection_reset"
	codeConnectionFailed   = "connection_failed"
	codeDNSFailure         = "dns_failure"
	codeTLSFailure         = "tls_failure"
	codeTimeout            = "timeout"
	codeResponseTooLarge   = "response_too_large"
	codeResponseUnreadable = "response_unreadable"
	codeCallCancelled      = "call_cancelled"
)

// statusCode gives the code of an HTTP status that carries no verdict.
func statusCode(status int) string {
	switch status {
	case 400:
		return codeHTTPBadRequest
	case 401:
		return codeHTTPUnauthorized
	case 403:
		return codeHTTPForbidden
	case 404:
		return codeHTTPNotFound
	case 405:
		return codeHTTPMethodNotAllowed
	case 408:
		return codeHTTPRequestTimeout
	case 409:
		return codeHTTPConflict
	case 410:
		return codeHTTPGone
	case 422:
		return codeHTTPUnprocessable
	case 429:
		return codeHTTPTooManyRequests
	}
	switch status / 100 {
	case 2:
		return codeAckMissing
	case 3:
		return codeHTTPRedirect
	case 4:
		return codeHTTPClientError
	case 5:
		return codeHTTPServerError
	}
	return codeHTTPUnexpectedStatus
}
