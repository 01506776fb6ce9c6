package dispatcher

import (
	"bytes"
	"encoding/hex"
	"encoding/json"

	"github.com/oceanway/outbox/contracts"
)

// verify checks a stored envelope before anybody sees it: its bytes are their own canonical form, by
// an implementation that is not the database's, and hash to the stored digest. It gives the verdict
// of an envelope that must not be sent.
func verify(c *Claimed) (Verdict, bool) {
	if c.EventEnvelopeDigestAlgorithmVersion != contracts.DigestAlgorithm {
		return retry(codeSchemaUnknown), false // a newer release may know it
	}
	sum := contracts.Sum(c.EventEnvelope)
	canonical, err := contracts.Canonical(c.EventEnvelope)
	if err != nil || !bytes.Equal(canonical, c.EventEnvelope) || hex.EncodeToString(sum[:]) != c.EventEnvelopeSha256 {
		return Verdict{Kind: NonRetryable, Code: codeEnvelopeIntegrity}, false
	}
	return Verdict{}, true
}

// occurredAt gives the time of the event as its envelope words it. The claim's own column has lost
// the digits below a microsecond.
func occurredAt(envelope []byte) string {
	var head struct {
		OccurredAt string `json:"occurredAt"`
	}
	if err := json.Unmarshal(envelope, &head); err != nil {
		return ""
	}
	return head.OccurredAt
}
