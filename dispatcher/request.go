package dispatcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// headers gives the headers of one delivery at the time of its attempt. With CloudEvents' binary
// mode the body stays the canonical envelope, byte for byte.
func headers(source string, c *Claimed, now time.Time) http.Header {
	h := http.Header{}
	set := func(name, value string) { h[http.CanonicalHeaderKey(name)] = []string{value} }
	set("Content-Type", "application/json")
	set("Accept", "application/json")
	set("User-Agent", "outbox")

	set("Outbox-Destination", escape(c.Destination))
	set("Outbox-Consumer", escape(c.ConsumerName))
	set("Outbox-Attempt-Id", c.AttemptID)
	set("Outbox-Attempt-Count", strconv.Itoa(int(c.AttemptCount)))
	set("Outbox-Envelope-Digest", c.EventEnvelopeDigestAlgorithmVersion+"="+c.EventEnvelopeSha256)
	set("Outbox-Delivery-Set", escapePart(c.DeliverySetVersion)+";"+
		c.DeliverySetDefinitionDigestAlgorithmVersion+"="+c.DeliverySetDefinitionDigest)
	if c.RequiredProjectionName != nil && c.RequiredProjectionVersion != nil {
		set("Outbox-Projection", escapePart(*c.RequiredProjectionName)+";"+escapePart(*c.RequiredProjectionVersion))
	}

	set("ce-specversion", "1.0")
	set("ce-id", c.EventID)
	set("ce-type", escape(c.EventType))
	set("ce-source", escape(source))
	set("ce-subject", escape(c.AggregateID))
	if at := occurredAt(c.EventEnvelope); at != "" {
		set("ce-time", at)
	}

	set("webhook-id", c.EventID+"-"+c.Destination)
	set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	return h
}

// escape percent-encodes a header value as CloudEvents' HTTP binding says (3.1.3.2): space, double
// quote, percent and everything outside of printable ASCII, each byte of its UTF-8.
func escape(s string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c > ' ' && c <= '~' && c != '"' && c != '%' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hexDigits[c>>4])
		b.WriteByte(hexDigits[c&15])
	}
	return b.String()
}

// escapePart escapes one part of a value whose parts a semicolon separates.
func escapePart(s string) string { return strings.ReplaceAll(escape(s), ";", "%3B") }

// post makes one call. It follows no redirect and reads at most limit bytes of
// the answer. The context holds the one deadline over connecting, headers and body.
func post(ctx context.Context, transport http.RoundTripper, to *url.URL, h http.Header, body []byte, limit int64) Answer {
	again := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	content, _ := again()
	request := (&http.Request{
		Method:        http.MethodPost,
		URL:           to,
		Host:          to.Host,
		Header:        h,
		Body:          content,
		GetBody:       again, // for a request that certainly was not sent, such as one that HTTP/2 refused
		ContentLength: int64(len(body)),
	}).WithContext(ctx)
	response, err := transport.RoundTrip(request)
	if err != nil {
		return Answer{Err: because(ctx, err)}
	}
	defer response.Body.Close()
	answer := Answer{Status: response.StatusCode, Header: response.Header}
	answer.Body, err = io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		answer.Err = because(ctx, err)
	}
	if int64(len(answer.Body)) > limit {
		answer.Body, answer.Truncated = answer.Body[:limit], true
	}
	return answer
}

// because adds why the context ended, when it did: the transport reports no more than that it did.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}
