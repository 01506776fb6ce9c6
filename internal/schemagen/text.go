package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/gowebpki/jcs"

	"github.com/oceanway/outbox/internal/schema"
)

// span is where a value stands in a text.
type span struct{ from, to int }

// spans finds every value of a JSON text by its pointer.
func spans(text []byte) (map[string]span, error) {
	s := &scanner{text: text, decoder: json.NewDecoder(bytes.NewReader(text)), found: map[string]span{}}
	s.decoder.UseNumber()
	if err := s.value(""); err != nil {
		return nil, fmt.Errorf("read the text: %w", err)
	}
	if _, err := s.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the text goes on after its end: %w", err)
	}
	return s.found, nil
}

type scanner struct {
	text    []byte
	decoder *json.Decoder
	found   map[string]span
}

func (s *scanner) value(at string) error {
	from := int(s.decoder.InputOffset())
	from += len(s.text[from:]) - len(bytes.TrimLeft(s.text[from:], " \t\r\n:,"))
	token, err := s.decoder.Token()
	if err != nil {
		return err //nolint:wrapcheck // spans wraps it
	}
	if delim, ok := token.(json.Delim); ok {
		if err := s.inside(at, delim); err != nil {
			return err
		}
	}
	s.found[at] = span{from, int(s.decoder.InputOffset())}
	return nil
}

func (s *scanner) inside(at string, delim json.Delim) error {
	for i := 0; s.decoder.More(); i++ {
		name := strconv.Itoa(i)
		if delim == '{' {
			token, err := s.decoder.Token()
			if err != nil {
				return err //nolint:wrapcheck // spans wraps it
			}
			name, _ = token.(string)
		}
		if err := s.value(schema.Pointer(at, name)); err != nil {
			return err
		}
	}
	_, err := s.decoder.Token()
	return err //nolint:wrapcheck // spans wraps it
}

// replaceText puts a text in the place of the value at a pointer and leaves all else as it is.
func replaceText(text []byte, pointer, value string) ([]byte, error) {
	found, err := spans(text)
	if err != nil {
		return nil, err
	}
	at, ok := found[pointer]
	if !ok {
		return nil, fmt.Errorf(`%s is missing: write it as "", and its value is generated`, pointer)
	}
	return bytes.Join([][]byte{text[:at.from], strconv.AppendQuoteToASCII(nil, value), text[at.to:]}, nil), nil
}

// candidate gives the canonical form of a document without the members that its digest leaves out.
func candidate(document []byte, rule *schema.Digest) ([]byte, error) {
	if _, err := canonical(document); err != nil { // refuses duplicate members, which a map would hide
		return nil, err
	}
	if rule == nil || len(rule.Excludes) == 0 {
		return canonical(document)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(document, &members); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	for _, name := range rule.Excludes {
		delete(members, name)
	}
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, fmt.Errorf("write the candidate: %w", err)
	}
	return canonical(rest)
}

func canonical(document []byte) ([]byte, error) {
	text, err := jcs.Transform(document)
	if err != nil {
		return nil, fmt.Errorf("the document has no canonical form: %w", err)
	}
	return text, nil
}
