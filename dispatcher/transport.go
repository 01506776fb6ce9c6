package dispatcher

import (
	"net"
	"net/http"
	"time"
)

// newTransport gives a destination its own connections, as many as it may have calls in flight. It
// uses no proxy from the environment, unpacks nothing, and has no deadline of its own: the call's
// one deadline holds for all of it.
func newTransport(d Destination) *http.Transport {
	const maxHeaderBytes = 64 << 10
	dialer := &net.Dialer{KeepAlive: 15 * time.Second}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxConnsPerHost:        d.Concurrency,
		MaxIdleConns:           d.Concurrency,
		MaxIdleConnsPerHost:    d.Concurrency,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}
