package consumers

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/oceanway/outbox/contracts"
)

// fields is an object under construction. Its order does not matter: every object leaves in canonical form.
type fields map[string]any

// with adds a copy of the named members of src; absent ones stay absent.
func (f fields) with(src map[string]any, names ...string) fields {
	for _, name := range names {
		if value, ok := src[name]; ok {
			f[name] = value
		}
	}
	return f
}

// withAll adds a copy of every member of src.
func (f fields) withAll(src map[string]any) fields {
	maps.Copy(f, src)
	return f
}

// withQuad adds a content address under a prefix.
func (f fields) withQuad(prefix string, q quad) fields {
	f[prefix+"Ref"] = q.ref
	f[prefix+"SchemaVersion"] = q.schemaVersion
	f[prefix+"DigestAlgorithmVersion"] = q.algorithm
	f[prefix+"Digest"] = q.digest
	return f
}

// quad is the complete address of an immutable object: four values that are never used apart.
type quad struct {
	ref           string
	schemaVersion string
	algorithm     string
	digest        string
}

func quadNames(prefix string) []string {
	return []string{prefix + "Ref", prefix + "SchemaVersion", prefix + "DigestAlgorithmVersion", prefix + "Digest"}
}

// quad reads the content address under a prefix.
func (r *reader) quad(prefix string) quad {
	q := quad{
		ref:           r.text(prefix + "Ref"),
		schemaVersion: r.text(prefix + "SchemaVersion"),
		algorithm:     r.text(prefix + "DigestAlgorithmVersion"),
		digest:        r.text(prefix + "Digest"),
	}
	r.check(q.algorithm == contracts.DigestAlgorithm, prefix+"DigestAlgorithmVersion", "is unknown")
	r.check(isDigest(q.digest), prefix+"Digest", "is not a digest")
	return q
}

func canonical(f fields) ([]byte, error) {
	raw, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return contracts.Canonical(raw)
}

// digestOf is the digest of an object's canonical form, in lower-case hex.
func digestOf(f fields) (string, error) {
	raw, err := canonical(f)
	if err != nil {
		return "", err
	}
	sum := contracts.Sum(raw)
	return hex.EncodeToString(sum[:]), nil
}

// address gives an object of schema version 1 its content address: the digest covers the object with its schema and
// algorithm version, without reference, digest and time.
func address(prefix string, body fields) (quad, error) {
	candidate := fields{prefix + "SchemaVersion": "1", prefix + "DigestAlgorithmVersion": contracts.DigestAlgorithm}
	digest, err := digestOf(candidate.withAll(body))
	if err != nil {
		return quad{}, err
	}
	return quad{ref: deriveID(prefix, digest), schemaVersion: "1", algorithm: contracts.DigestAlgorithm, digest: digest}, nil
}

// The names that payloads and receipts share.
func tenantNames() []string  { return []string{"tenantKind", "tenantId", "workspaceId"} }
func billingNames() []string { return []string{"billingReservationId", "billingAccountId", "runId"} }
func dimensionNames() []string {
	return []string{"runStepId", "executionAttemptId", "chargeDimensionKey"}
}

// receiptHead is what every receipt of every type starts with.
func receiptHead(m member, d Delivery) fields {
	prefix := contracts.ReceiptPrefix(m.receiptType)
	return fields{
		prefix + "SchemaVersion":              "1",
		prefix + "DigestAlgorithmVersion":     contracts.DigestAlgorithm,
		"destination":                         m.destination,
		"consumerName":                        m.consumer,
		"eventId":                             d.Envelope.EventID,
		"eventEnvelopeDigestAlgorithmVersion": contracts.DigestAlgorithm,
		"eventEnvelopeSha256":                 d.Digest,
	}
}

// seal turns a candidate into the receipt: reference, time and digest, in canonical form.
func seal(m member, candidate fields, at time.Time) ([]byte, error) {
	raw, err := canonical(candidate)
	if err != nil {
		return nil, err
	}
	sum, err := m.schemas.Digest(contracts.ReceiptSchema(m.receiptType, "1"), raw)
	if err != nil {
		return nil, fmt.Errorf("receipt digest: %w", err)
	}
	prefix := contracts.ReceiptPrefix(m.receiptType)
	digest := hex.EncodeToString(sum[:])
	sealed := fields{
		prefix + "Ref":    deriveID(m.receiptType, digest),
		prefix + "Digest": digest,
		"committedAt":     at.UTC().Format("2006-01-02T15:04:05.000000Z"),
	}
	return canonical(sealed.withAll(candidate))
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
