package consumers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
)

// Delivery is one verified call: the frozen coordinates of the headers and the envelope of the body.
type Delivery struct {
	Destination  string
	Consumer     string
	AttemptID    string
	AttemptCount int
	DeliverySet  DeliverySet
	Projection   Projection
	Envelope     Envelope
	Digest       string // sha256 of the body in lower-case hex
}

// DeliverySet is the frozen definition by which the event was appended.
type DeliverySet struct {
	Version string
	Digest  string // in lower-case hex
}

// Projection is the frozen projection target that a delivery is to satisfy.
type Projection struct {
	Name    string
	Version string
}

// maxBody is the largest canonical envelope that a producer's database can be set to accept: the upper
// bound of its setting max_envelope_bytes.
const maxBody = 1 << 20

// readDelivery verifies a call against the member that this consumer is bound to. Every error is a *refusal.
func readDelivery(r *http.Request, m member) (Delivery, error) {
	d, digest, err := readHeaders(r, m)
	if err != nil {
		return d, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return d, plain(http.StatusRequestEntityTooLarge, "the body is too large")
		}
		return d, plain(http.StatusBadRequest, "the body cannot be read")
	}
	sum := sha256.Sum256(body)
	d.Digest = hex.EncodeToString(sum[:])
	if d.Digest != digest {
		// The dispatcher has verified the stored bytes; what differs here was changed on its way.
		return d, retryable(http.StatusBadRequest, "envelope_integrity_failed", "the body does not hash to the announced digest")
	}
	d.Envelope, err = decodeEnvelope(m.schemas, body)
	if err != nil {
		return d, nonRetryable("envelope_invariant_violated", err.Error())
	}
	version, known := m.events[d.Envelope.EventType]
	switch {
	case !known:
		return d, nonRetryable("schema_unknown", "this consumer does not know the event type")
	case version != d.Envelope.EventSchemaVersion:
		return d, nonRetryable("version_unsupported", "this consumer does not know the schema version")
	}
	return d, nil
}

// readHeaders reads the frozen coordinates. A wrong coordinate is a wrong address, never the event's fault.
func readHeaders(r *http.Request, m member) (Delivery, string, error) {
	var d Delivery
	if r.Method != http.MethodPost {
		return d, "", plain(http.StatusMethodNotAllowed, "only POST is served here")
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return d, "", plain(http.StatusUnsupportedMediaType, "the body must be application/json")
	}
	d.Destination, d.Consumer = headerText(r, "Outbox-Destination"), headerText(r, "Outbox-Consumer")
	d.AttemptID = r.Header.Get("Outbox-Attempt-Id")
	d.AttemptCount, _ = strconv.Atoi(r.Header.Get("Outbox-Attempt-Count"))
	if d.Destination != m.destination || d.Consumer != m.consumer {
		return d, "", plain(http.StatusBadRequest, "the delivery is addressed to another consumer")
	}
	digest, ok := digestIn(r.Header.Get("Outbox-Envelope-Digest"))
	if !ok {
		return d, "", plain(http.StatusBadRequest, "Outbox-Envelope-Digest is missing or malformed")
	}
	if d.DeliverySet, ok = readDeliverySet(r); !ok {
		return d, "", plain(http.StatusBadRequest, "Outbox-Delivery-Set is missing or malformed")
	}
	if m.projected {
		if d.Projection, ok = readProjection(r); !ok {
			return d, "", plain(http.StatusBadRequest, "Outbox-Projection is missing or malformed")
		}
	}
	return d, digest, nil
}

// String names a delivery in a log line.
func (d Delivery) String() string {
	return fmt.Sprintf("%s of %s to %s", d.Envelope.EventType, d.Envelope.EventID, d.Destination)
}
