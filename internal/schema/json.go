package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gowebpki/jcs"
)

// members is a JSON object that remembers the order of its members.
type members struct {
	names  []string
	values map[string]any
}

func (m *members) has(name string) bool {
	_, ok := m.values[name]
	return ok
}

// readJSON reads a JSON text into *members, []any, string, json.Number, bool and nil.
func readJSON(text []byte) (any, error) {
	// encoding/json accepts duplicate members and lone surrogates; canonical form has neither.
	if _, err := jcs.Transform(text); err != nil {
		return nil, fmt.Errorf("is not JSON with a canonical form: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := readValue(decoder)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("goes on after its end")
	}
	return value, nil
}

func readValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	switch token {
	case json.Delim('{'):
		return readMembers(decoder)
	case json.Delim('['):
		items := []any{}
		for decoder.More() {
			item, err := readValue(decoder)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, endOf(decoder)
	}
	if text, ok := token.(string); ok {
		return text, refuseNUL(text)
	}
	return token, nil
}

func readMembers(decoder *json.Decoder) (*members, error) {
	m := &members{values: map[string]any{}}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("is not JSON: %w", err)
		}
		name, ok := token.(string)
		if !ok || m.has(name) {
			return nil, fmt.Errorf("has the member %q twice", name)
		}
		if err := refuseNUL(name); err != nil {
			return nil, err
		}
		m.names = append(m.names, name)
		if m.values[name], err = readValue(decoder); err != nil {
			return nil, err
		}
	}
	return m, endOf(decoder)
}

// refuseNUL refuses what jsonb cannot hold.
func refuseNUL(text string) error {
	if strings.ContainsRune(text, 0) {
		return errors.New("holds U+0000, which no document in PostgreSQL can")
	}
	return nil
}

func endOf(decoder *json.Decoder) error {
	if _, err := decoder.Token(); err != nil {
		return fmt.Errorf("is not JSON: %w", err)
	}
	return nil
}

// Pointer appends a token to a JSON Pointer (RFC 6901).
func Pointer(path, token string) string {
	return path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// pointerTokens splits a JSON Pointer; the empty one, the whole document, has none.
func pointerTokens(pointer string) (tokens []string, ok bool) {
	if pointer == "" {
		return nil, true
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false
	}
	for token := range strings.SplitSeq(rest, "/") {
		plain := strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if Pointer("", plain) != "/"+token {
			return nil, false
		}
		tokens = append(tokens, plain)
	}
	return tokens, true
}
