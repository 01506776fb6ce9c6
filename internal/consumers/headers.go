package consumers

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/oceanway/outbox/contracts"
)

// Names and versions are free texts, so the headers carry them percent-encoded. In a value of two parts the semicolon
// that separates them is the only one that is not encoded: a reader splits first and decodes then.

// headerText reads a header of one part, "" when it is absent or malformed.
func headerText(r *http.Request, name string) string {
	text, _ := decoded(r.Header.Get(name))
	return text
}

// readDeliverySet reads the frozen definition: <version>;jcs-sha256-v1=<hex>.
func readDeliverySet(r *http.Request) (set DeliverySet, ok bool) {
	version, digest, ok := strings.Cut(r.Header.Get("Outbox-Delivery-Set"), ";")
	if !ok {
		return set, false
	}
	if set.Digest, ok = digestIn(digest); !ok {
		return set, false
	}
	set.Version, ok = decoded(version)
	return set, ok
}

// readProjection reads the frozen projection target: <name>;<version>.
func readProjection(r *http.Request) (target Projection, ok bool) {
	name, version, ok := strings.Cut(r.Header.Get("Outbox-Projection"), ";")
	if !ok || strings.Contains(version, ";") {
		return target, false
	}
	if target.Name, ok = decoded(name); !ok {
		return target, false
	}
	target.Version, ok = decoded(version)
	return target, ok
}

// decoded undoes the percent-encoding of a text that is not empty.
func decoded(part string) (text string, ok bool) {
	text, err := url.PathUnescape(part)
	return text, err == nil && text != "" && utf8.ValidString(text)
}

// digestIn reads <algorithm>=<hex>.
func digestIn(value string) (digest string, ok bool) {
	algorithm, digest, ok := strings.Cut(value, "=")
	return digest, ok && algorithm == contracts.DigestAlgorithm && isDigest(digest)
}

func isDigest(text string) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == sha256.Size && strings.ToLower(text) == text
}
