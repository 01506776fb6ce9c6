// Package goldens reads contracts/goldens: for each schema documents that are valid, with the exact bytes
// that their digest covers, and documents that are not, with everything that is wrong with them. Go, SQL and
// whoever else judges documents must agree with them. Nothing of the product imports it.
package goldens

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Valid is a document that its schema accepts.
type Valid struct {
	Schema    string
	Name      string
	Document  []byte
	Canonical []byte // of the digest's candidate, or of the whole where there is no digest
	SHA256    string // of Canonical, in lower-case hex; empty where there is no digest
}

// Invalid is a document that its schema refuses.
type Invalid struct {
	Schema     string
	Name       string
	Document   []byte
	Violations []Violation
}

// Violation is one place of a document and the rule that it breaks.
type Violation struct {
	Path string `json:"path"`
	Rule string `json:"rule"`
}

// Derived is a candidate with the identifiers that follow from it.
type Derived struct {
	Namespace string          `json:"namespace"`
	Candidate json.RawMessage `json:"candidate"`
	ID        string          `json:"id"`
	Key       string          `json:"key"`
}

const invalidFile = "invalid.json"

// ReadValid reads the valid documents of every schema. folder is contracts/goldens.
func ReadValid(t testing.TB, folder string) []Valid {
	t.Helper()
	var cases []Valid
	for _, file := range list(t, folder, "*@*", "*.json") {
		if filepath.Base(file) == invalidFile {
			continue
		}
		stem := strings.TrimSuffix(file, ".json")
		valid := Valid{
			Schema: filepath.Base(filepath.Dir(file)), Name: filepath.Base(stem), Document: read(t, file), Canonical: read(t, stem+".canonical"),
		}
		if _, err := os.Stat(stem + ".sha256"); err == nil {
			line := string(read(t, stem+".sha256"))
			sum, named, _ := strings.Cut(line, "  ")
			if named != valid.Name+".canonical\n" || len(sum) != 64 {
				t.Errorf("%s.sha256 is no line for sha256sum: %q", stem, line)
			}
			valid.SHA256 = sum
		}
		cases = append(cases, valid)
	}
	return cases
}

// ReadDerived reads the derived identifiers.
func ReadDerived(t testing.TB, folder string) []Derived {
	t.Helper()
	var cases []Derived
	decode(t, filepath.Join(folder, "derive.json"), &cases)
	return cases
}

func list(t testing.TB, parts ...string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(parts...))
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens at %s: %v", filepath.Join(parts...), err)
	}
	return files
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t testing.TB, file string, into any) {
	t.Helper()
	if err := strictly(read(t, file), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// strictly refuses members that nobody would read.
func strictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("goes on after its end")
	}
	return nil
}
