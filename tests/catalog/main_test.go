// Package catalog holds what a migrated database looks like: goldens of its relations, functions and grants, the rules that
// every object keeps, and the ways to get there. After a change that is meant:
//
//	go test ./tests/catalog -update
package catalog_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/tap"
	"github.com/oceanway/outbox/tests/testdb"
)

var update = flag.Bool("update", false, "write the goldens instead of comparing with them")

func TestMain(m *testing.M) { os.Exit(testdb.Main(m)) }

// roles of the product, the owner first.
var roles = []string{
	"outbox_owner", "outbox_producer", "outbox_dispatcher", "outbox_consumer", "outbox_governor", "outbox_operator", "outbox_reader",
	"outbox_payload_reader",
}

// golden compares lines with a golden file and reports what is missing and what is new.
func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	have := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, name, strings.Split(strings.TrimSuffix(string(want), "\n"), "\n"), lines)
}

// same compares two lists of lines. A golden is one sorted list, so a bag difference tells all.
func same(t *testing.T, what string, want, have []string) {
	t.Helper()
	count := map[string]int{}
	for _, line := range want {
		count[line]++
	}
	for _, line := range have {
		count[line]--
	}
	for _, line := range want {
		if count[line] > 0 {
			t.Errorf("%s: gone: %s", what, line)
		}
	}
	for _, line := range have {
		if count[line] < 0 {
			t.Errorf("%s: new:  %s", what, line)
		}
	}
}

// lines runs one of the descriptions of the catalog.
func lines(t *testing.T, db tap.Querier, sql string, args ...any) []string {
	t.Helper()
	found := tap.Column[string](t, db, sql, args...)
	if len(found) < 10 {
		t.Fatalf("%d lines are no catalog of the product", len(found))
	}
	return found
}
