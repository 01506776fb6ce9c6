package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/contracts"
)

var update = flag.Bool("update", false, "write the golden files")

// outcome is what a command line did.
type outcome struct {
	stdout, stderr string
	status         int
}

// run executes a command line in this process with an environment of its own.
func run(t *testing.T, environment map[string]string, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	getenv := func(name string) string { return environment[name] }
	status := execute(t.Context(), newApp(strings.NewReader(stdin), &stdout, &stderr, getenv), args)
	return outcome{stdout.String(), stderr.String(), status}
}

// failsWith checks that a command line failed with one line that contains part.
func (o outcome) failsWith(t *testing.T, status int, part string) {
	t.Helper()
	lines := strings.Count(o.stderr, "\n")
	if o.status != status || lines != 1 || !strings.HasPrefix(o.stderr, "outbox: ") || !strings.Contains(o.stderr, part) {
		t.Errorf("status %d, want %d with one line that contains %q: %s", o.status, status, part, o.stderr)
	}
}

func TestHelp(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())
		got := run(t, nil, "", append(path[1:], "--help")...)
		if got.status != exitOK || got.stderr != "" {
			t.Errorf("%s --help: %+v", cmd.CommandPath(), got)
		}
		golden(t, "help/"+strings.Join(path, "-")+".txt", got.stdout)
		if cmd.Example == "" || cmd.Long == "" {
			t.Errorf("%s lacks an example or a description", cmd.CommandPath())
		}
		for _, below := range cmd.Commands() {
			if below.IsAvailableCommand() {
				visit(below)
			}
		}
	}
	visit(newRootCommand(newApp(nil, nil, nil, os.Getenv)))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./cmd/outbox -update", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; see it with: go test ./cmd/outbox -update && git diff\n%s", path, got)
	}
}

func TestWrongUsageIsOneLine(t *testing.T) {
	database := map[string]string{"OUTBOX_DATABASE_URL": "host=/nowhere dbname=d user=u"}
	for line, part := range map[string]string{
		"frobnicate":                         `unknown command "frobnicate"`,
		"migrat":                             "did you mean migrate",
		"delivery-set frobnicate":            `unknown command "frobnicate" for "outbox delivery-set"`,
		"migrate now":                        "takes no arguments",
		"migrate --frobnicate":               "unknown flag",
		"migrate --roles --print-roles":      "exclude each other",
		"delivery-set digest":                "accepts 1 arg",
		"delivery-set digest no-such-file":   `no file and no carried definition is called "no-such-file"`,
		"delivery-set digest testdata":       "is a directory",
		"delivery-set activate --wait -1s x": "cannot be negative",
		"pause core_operations":              "--reason",
		"resume core_operations":             "--reason",
		"verify --from yesterday":            "--from",
		"run":                                "no configuration",
		"run --config no-such-file.yaml":     "no-such-file.yaml",
		"verify --slice 1s":                  "--slice",
		"verify --from 2026-11-30T00:00:00Z --to 2026-11-30T00:00:00Z": "--from is not before --to",
		"version --log-level loud":                                     "log level",
		"version --log-format xml":                                     "log format",
		"status --database-url port=x":                                 "database url",
	} {
		run(t, database, "", strings.Fields(line)...).failsWith(t, exitUsage, part)
	}
}

func TestNoDatabaseIsSaidInOneLine(t *testing.T) {
	for _, line := range []string{"migrate", "migrate --roles", "status", "verify", "delivery-set show"} {
		run(t, nil, "", strings.Fields(line)...).failsWith(t, exitUsage, "OUTBOX_DATABASE_URL")
	}
}

func TestUnreachableDatabaseIsSaidInOneLine(t *testing.T) {
	nowhere := map[string]string{"OUTBOX_DATABASE_URL": "postgres://u:secret@127.0.0.1:1/d?connect_timeout=5"}
	for _, line := range []string{"migrate", "status", "verify", "delivery-set show"} {
		got := run(t, nowhere, "", strings.Fields(line)...)
		got.failsWith(t, exitUnreachable, "127.0.0.1:1")
		if strings.Contains(got.stderr, "secret") {
			t.Errorf("%s prints the password: %s", line, got.stderr)
		}
	}
}

func TestPasswordsInABrokenURLAreNotPrinted(t *testing.T) {
	for _, url := range []string{"postgres://u:secret@host:port/d", "host=h password=secret port=x"} {
		got := run(t, map[string]string{"OUTBOX_DATABASE_URL": url}, "", "status")
		got.failsWith(t, exitUsage, "database url")
		if strings.Contains(got.stderr, "secret") {
			t.Errorf("the password is printed: %s", got.stderr)
		}
	}
}

func TestTheFlagWinsOverTheEnvironment(t *testing.T) {
	got := run(t, map[string]string{"OUTBOX_DATABASE_URL": "postgres://u@127.0.0.1:1/environment"}, "",
		"status", "--database-url", "postgres://u@127.0.0.1:1/flag")
	got.failsWith(t, exitUnreachable, "database=flag")
}

func TestPrintRolesNeedsNoDatabase(t *testing.T) {
	got := run(t, nil, "", "migrate", "--print-roles")
	if got.status != exitOK || !strings.Contains(got.stdout, "outbox_owner") {
		t.Errorf("got %+v", got)
	}
}

func TestVersionNamesTheSchema(t *testing.T) {
	got := run(t, nil, "", "version", "--json")
	var self build
	if err := json.Unmarshal([]byte(got.stdout), &self); err != nil || self.Schema < 1 || self.Go == "" {
		t.Errorf("got %+v, %v", got, err)
	}
	if text := run(t, nil, "", "version"); !strings.HasPrefix(text.stdout, "outbox ") {
		t.Errorf("got %+v", text)
	}
}

func TestDigestComparesWithoutADatabase(t *testing.T) {
	definition := string(contracts.FirstRelease())
	identity, err := contracts.ParseDefinitionIdentity([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	sum := identity.DeliverySetDefinitionDigest
	for _, source := range []string{"-", contracts.FirstReleaseName, "../../contracts/delivery-sets/" + contracts.FirstReleaseName + ".json"} {
		if got := run(t, nil, definition, "delivery-set", "digest", source); got != (outcome{stdout: sum + "\n"}) {
			t.Errorf("%s: %+v", source, got)
		}
	}
	canonical := run(t, nil, definition, "delivery-set", "digest", "--canonical", "-")
	if hashed := sha256.Sum256([]byte(canonical.stdout)); hex.EncodeToString(hashed[:]) != sum {
		t.Error("the canonical bytes do not hash to the digest")
	}
	tampered := strings.Replace(definition, `"memberCount": 14`, `"memberCount": 13`, 1)
	run(t, nil, tampered, "delivery-set", "digest", "-").failsWith(t, exitFailure, sum)
	run(t, nil, "{", "delivery-set", "digest", "-").failsWith(t, exitUsage, "no canonical form")
	run(t, nil, "{}", "delivery-set", "digest", "-").failsWith(t, exitUsage, "is missing")
}

func TestAdaptKeepsSlicesShortAndProgressing(t *testing.T) {
	for _, test := range []struct{ width, took, want time.Duration }{
		{time.Hour, time.Millisecond, 2 * time.Hour},
		{time.Hour, time.Second, time.Hour},
		{time.Hour, time.Minute, 30 * time.Minute},
		{minSlice, time.Minute, minSlice},
		{maxSlice, 0, maxSlice},
	} {
		if got := adapt(test.width, test.took); got != test.want {
			t.Errorf("adapt(%s, %s) = %s, want %s", test.width, test.took, got, test.want)
		}
	}
}

func TestFiguresThatStoppedCountingSayAtLeast(t *testing.T) {
	var out bytes.Buffer
	err := newApp(nil, &out, nil, os.Getenv).printOverview(overview{
		Destinations: []backlog{
			{Destination: "capped", Waiting: 3, WaitingCapped: true, Leased: 4, LeasedCapped: true, Quarantined: 5, QuarantinedCapped: true},
			{Destination: "exact", Waiting: 3, Leased: 4, Quarantined: 5},
		},
		Quarantined: 10, QuarantinedCapped: true,
		StuckLeases: make([]stuckLease, 1), StuckLeasesCapped: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`capped +open +3\+ +- +4\+ +5\+`, `exact +open +3 +- +4 +5`, `quarantined 10\+`, `stuck leases 1\+`} {
		if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(out.String()) {
			t.Errorf("no line %s in\n%s", line, out.String())
		}
	}
}
