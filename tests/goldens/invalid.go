package goldens

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/oceanway/outbox/contracts"
)

// entry is what invalid.json holds: a document as text, or a valid one to patch.
type entry struct {
	Name       string      `json:"name"`
	Text       *string     `json:"text"`
	Base       string      `json:"base"`
	Patch      []operation `json:"patch"`
	Violations []Violation `json:"violations"`
}

// ReadInvalid reads the invalid documents of every schema, patches applied.
func ReadInvalid(t testing.TB, folder string) []Invalid {
	t.Helper()
	registry, err := contracts.Load()
	if err != nil {
		t.Fatal(err)
	}
	var cases []Invalid
	for _, file := range list(t, folder, "*@*", invalidFile) {
		read, err := readInvalid(registry, file)
		if err != nil {
			t.Error(err)
		}
		cases = append(cases, read...)
	}
	return cases
}

// readInvalid reads a file. The entries that say nothing are left out, and are in the error.
func readInvalid(registry *contracts.Registry, file string) (cases []Invalid, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the invalid goldens: %w", err)
	}
	var entries []json.RawMessage
	if err := strictly(text, &entries); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	b := bases{registry: registry, file: file, schema: filepath.Base(filepath.Dir(file)), known: map[string][]byte{}}
	var faults []error
	for i, text := range entries {
		var e entry
		if err := strictly(text, &e); err != nil {
			faults = append(faults, fmt.Errorf("%s: /%d %s: %w", file, i, nameOf(text), err))
			continue
		}
		invalid := Invalid{Schema: b.schema, Name: e.Name, Violations: e.Violations}
		if e.Text != nil {
			invalid.Document = []byte(*e.Text)
		} else if base := b.find(e.Base); base == nil {
			continue // told below
		} else if invalid.Document, err = apply(base, e.Patch); err != nil {
			faults = append(faults, fmt.Errorf("%s: %s: %w", file, e.Name, err))
			continue
		}
		cases = append(cases, invalid)
	}
	return cases, errors.Join(append(faults, b.faults...)...)
}

// nameOf finds the name of an entry that is not in order.
func nameOf(text []byte) string {
	var e struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(text, &e) // it is in the error by its place too
	return e.Name
}

// bases are the documents that the entries of a file patch.
type bases struct {
	registry     *contracts.Registry
	file, schema string
	known        map[string][]byte // nil for one that is not in order
	faults       []error           // one for each of those
}

func (b *bases) find(name string) []byte {
	if base, ok := b.known[name]; ok {
		return base
	}
	file := filepath.Join(filepath.Dir(b.file), name+".json")
	base, err := os.ReadFile(file)
	if err == nil {
		err = b.judge(base)
	}
	if err != nil {
		base = nil
		b.faults = append(b.faults, fmt.Errorf("%s: the base of entries in %s is not in order, they are left out: %w", file, invalidFile, err))
	}
	b.known[name] = base
	return base
}

func (b *bases) judge(document []byte) error {
	violations, err := b.registry.Validate(b.schema, document)
	if err != nil {
		return fmt.Errorf("judge it: %w", err)
	}
	var faults []error
	for _, v := range violations {
		faults = append(faults, fmt.Errorf("%q %s", v.Path, v.Rule))
	}
	return errors.Join(faults...)
}
