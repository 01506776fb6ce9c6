// Package goldens reads contracts/goldens: for each schema documents that are valid, with the exact bytes
// that their digest covers, and documents that are not, with everything that is wrong with them. Go, SQL and
// whoever else judges documents must agree with them. Nothing of the product imports it.
package goldens

import (
	"encoding/json"
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

// ReadInvalid reads the invalid documents of every schema, patches applied.
func ReadInvalid(t testing.TB, folder string) []Invalid {
	t.Helper()
	var cases []Invalid
	for _, file := range list(t, folder, "*@*", invalidFile) {
		var written []struct {
			Name       string      `json:"name"`
			Text       *string     `json:"text"`
			Base       string      `json:"base"`
			Patch      []operation `json:"patch"`
			Violations []Violation `json:"violations"`
		}
		decode(t, file, &written)
		for _, w := range written {
			invalid := Invalid{Schema: filepath.Base(filepath.Dir(file)), Name: w.Name, Violations: w.Violations}
			if w.Text != nil {
				invalid.Document = []byte(*w.Text)
			} else {
				base := read(t, filepath.Join(filepath.Dir(file), w.Base+".json"))
				patched, err := apply(base, w.Patch)
				if err != nil {
					t.Errorf("%s: %s: %v", file, w.Name, err)
					continue
				}
				invalid.Document = patched
			}
			cases = append(cases, invalid)
		}
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
	if err := json.Unmarshal(read(t, file), into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
