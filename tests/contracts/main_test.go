// Package contracts holds the canonical JSON of the database to RFC 8785, and to what the Go package computes.
//
// contracts.jcs is asked in bulk: one statement carries many documents, so that ten thousand numbers take a second.
package contracts_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// sample is a document with its canonical form.
type sample struct{ name, in, out string }

const dataDir = "testdata/jcs"

// official are the files of the RFC's author.
func official(t *testing.T) []sample {
	t.Helper()
	inputs, err := filepath.Glob(filepath.Join(dataDir, "official/input/*.json"))
	if err != nil || len(inputs) != 6 {
		t.Fatalf("%d official files: %v", len(inputs), err)
	}
	samples := make([]sample, len(inputs))
	for i, input := range inputs {
		name := filepath.Base(input)
		samples[i] = sample{name, read(t, input), read(t, filepath.Join(dataDir, "official/output", name))}
	}
	return samples
}

// vectors are small documents: those with a canonical form, and those that have none.
func vectors(t *testing.T) (good, bad []sample) {
	t.Helper()
	var entries []struct{ In, Out, Error string }
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dataDir, "vectors.json"))), &entries); err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Error != "" {
			bad = append(bad, sample{name: entry.In, in: entry.In, out: entry.Error})
		} else {
			good = append(good, sample{name: entry.In, in: entry.In, out: entry.Out})
		}
	}
	if len(good) != 20 || len(bad) != 11 {
		t.Fatalf("%d vectors and %d refusals", len(good), len(bad))
	}
	return good, bad
}

// number is a double with its ECMAScript text.
type number struct {
	value float64
	text  string
}

func numbers(t *testing.T) []number {
	t.Helper()
	var list []number
	lines := bufio.NewScanner(bytes.NewReader([]byte(read(t, filepath.Join(dataDir, "es6_numbers_10000.txt")))))
	for lines.Scan() {
		hex, text, found := strings.Cut(lines.Text(), ",")
		bits, err := strconv.ParseUint(hex, 16, 64)
		if err != nil || !found {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		list = append(list, number{math.Float64frombits(bits), text})
	}
	if err := lines.Err(); err != nil || len(list) != 10000 {
		t.Fatalf("%d numbers: %v", len(list), err)
	}
	return list
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// jcsSQL canonicalises many documents in one statement. Every name is qualified: sessions may be hostile.
const jcsSQL = `
	select contracts.jcs(d.document::pg_catalog.json)
	from pg_catalog.unnest($1::pg_catalog.text[]) with ordinality as d(document, place)
	order by d.place`

// canonicalise asks the database for the canonical forms of documents that have one.
func canonicalise(t *testing.T, db tap.Querier, documents []string) []string {
	t.Helper()
	return tap.Column[string](t, db, jcsSQL, documents)
}

// hold asserts the canonical form of every sample and shows the first few that differ.
func hold(t *testing.T, db tap.Querier, samples []sample) {
	t.Helper()
	documents := make([]string, len(samples))
	for i, s := range samples {
		documents[i] = s.in
	}
	wrong := 0
	for i, have := range canonicalise(t, db, documents) {
		if have == samples[i].out {
			continue
		}
		if wrong++; wrong <= 5 {
			t.Errorf("%s\n  have: %.300s\n  want: %.300s", samples[i].name, have, samples[i].out)
		}
	}
	if wrong > 5 {
		t.Errorf("%d of %d differ", wrong, len(samples))
	}
}

// refused asserts that a document has no canonical form and that the refusal names rule and path.
func refused(t *testing.T, db tap.Querier, sqlstate, rule, path, document string) {
	t.Helper()
	report := tap.Throws(t, db, sqlstate, rule, "select contracts.jcs($1::json)", document)
	if report != nil && strings.HasPrefix(sqlstate, "OX") && report.Detail != path {
		t.Errorf("%.200s\n  detail: %s\n  want:   %s", document, report.Detail, path)
	}
}
