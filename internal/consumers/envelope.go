package consumers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/oceanway/outbox/contracts"
)

// Envelope is a strictly decoded EventEnvelope@1 with its payload.
type Envelope struct {
	contracts.Envelope
	Payload map[string]any
}

const (
	maxIdentifier = 256
	maxRevision   = 1<<53 - 1
)

// decodeEnvelope decodes a body that must be the canonical bytes of a valid EventEnvelope@1.
func decodeEnvelope(schemas *contracts.Registry, body []byte) (Envelope, error) {
	canonical, err := contracts.Canonical(body)
	if err != nil {
		return Envelope{}, fmt.Errorf("envelope: %w", err)
	}
	if !bytes.Equal(canonical, body) {
		return Envelope{}, errors.New("envelope: the bytes are not canonical")
	}
	head, err := schemas.ParseEnvelope(body)
	if err != nil {
		return Envelope{}, err
	}
	payload, err := decodeObject(head.Payload)
	if err != nil {
		return Envelope{}, fmt.Errorf("payload: %w", err)
	}
	return Envelope{Envelope: head, Payload: payload}, nil
}

// decodeObject decodes one JSON object with its numbers kept as written.
func decodeObject(raw []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if doc == nil {
		return nil, errors.New("not an object")
	}
	return doc, nil
}

// reader reads a closed JSON object and keeps the first thing that is wrong with it, by its path.
type reader struct {
	object map[string]any
	path   string
	err    error
}

func (r *reader) fail(name, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s.%s %s", r.path, name, what)
	}
}

func (r *reader) check(ok bool, name, what string) {
	if !ok {
		r.fail(name, what)
	}
}

// closed refuses a missing required field, any field that is neither required nor optional, and nulls.
func (r *reader) closed(required, optional []string) {
	for _, name := range required {
		if r.object[name] == nil {
			r.fail(name, "is missing")
		}
	}
	for name, value := range r.object {
		if !slices.Contains(required, name) && !slices.Contains(optional, name) {
			r.fail(name, "is unknown")
		}
		if value == nil {
			r.fail(name, "is null")
		}
	}
}

func (r *reader) text(name string) string {
	value, ok := r.object[name].(string)
	r.check(ok && isIdentifier(value), name, "is not a text of 1 to 256 characters without control characters")
	return value
}

func isIdentifier(value string) bool {
	n := utf8.RuneCountInString(value)
	return n > 0 && n <= maxIdentifier && !strings.ContainsFunc(value, unicode.IsControl)
}

func (r *reader) integer(name string, least int64) int64 {
	number, ok := r.object[name].(json.Number)
	if !ok {
		r.fail(name, "is not a number")
		return 0
	}
	value, err := number.Int64()
	if err != nil || value < least || value > maxRevision {
		r.fail(name, "is out of range")
	}
	return value
}

func (r *reader) child(name string) map[string]any {
	value, ok := r.object[name].(map[string]any)
	if !ok {
		r.fail(name, "is not an object")
	}
	return value
}

func (r *reader) list(name string) []any {
	value, ok := r.object[name].([]any)
	if !ok {
		r.fail(name, "is not an array")
	}
	return value
}
