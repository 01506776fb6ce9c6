package dispatcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const head = "source: /producers/core\ndatabase: {url: 'postgres:///x'}\n"

func TestConfigRefusals(t *testing.T) {
	const two = "destinations:\n  a:\n    url: http://a.test\n"
	for name, test := range map[string]struct{ text, want string }{
		"empty":                 {"", "f.yaml: the file is empty"},
		"only comments":         {"# nothing\n", "f.yaml: the file is empty"},
		"not YAML":              {"source: [a\nlease: x\n", "f.yaml:2: "},
		"not a mapping":         {"- source\n", "f.yaml:1: "},
		"two documents":         {head + two + "---\nsource: b\n", "f.yaml:6: one YAML document is expected"},
		"unknown key":           {head + two + "tuning: 1\n", `f.yaml:6: unknown field "tuning"`},
		"unknown key in one":    {head + two + "    conurrency: 4\n", `f.yaml:6: unknown field "conurrency"`},
		"unknown key in poll":   {head + two + "    poll: {flor: 1s}\n", `f.yaml:6: unknown field "flor"`},
		"unknown in defaults":   {head + "defaults:\n  url: http://x\n" + two, `f.yaml:4: unknown field "url"`},
		"duplicate destination": {head + two + "  a:\n    url: http://b.test\n", `f.yaml:6: mapping key "a" already defined at [4:3]`},
		"duplicate key":         {head + two + "    url: http://b.test\n", `f.yaml:6: mapping key "url" already defined at [5:5]`},
		"wrong type":            {head + two + "    concurrency: many\n", "f.yaml:6: cannot unmarshal"},
		"number as duration":    {head + two + "    call_timeout: 15\n", "f.yaml:6: cannot unmarshal"},
		"bad duration":          {head + two + "    call_timeout: 15 parsecs\n", "f.yaml"},
		"too large":             {head + "settle: {workers: 99999999999999999999}\n" + two, "f.yaml:3: "},

		"no source":          {"database: {url: x}\n" + two, "f.yaml: source: is required"},
		"bad source":         {"source: 'http://[::1'\ndatabase: {url: x}\n" + two, "f.yaml:1: source: is not a URI reference"},
		"secret source":      {"source: http://u:p@x\ndatabase: {url: x}\n" + two, "f.yaml:1: source: holds a user name or password"},
		"no database":        {"source: /a\n" + two, "f.yaml: database.url: is required"},
		"no destination":     {head, "f.yaml: destinations: at least one destination is required"},
		"empty destinations": {head + "destinations: {}\n", "f.yaml:3: destinations: at least one destination is required"},
		"no url":             {head + "destinations:\n  a:\n", "f.yaml:4: destinations.a.url: is required"},
		"bad scheme":         {head + "destinations:\n  a: {url: 'ftp://x'}\n", "f.yaml:4: destinations.a.url: the scheme is http or https"},
		"no scheme":          {head + "destinations:\n  a: {url: 'a.test'}\n", "f.yaml:4: destinations.a.url: the scheme is http or https"},
		"no host":            {head + "destinations:\n  a: {url: 'http:///x'}\n", "f.yaml:4: destinations.a.url: has no host"},
		"password in url":    {head + "destinations:\n  a: {url: 'http://u:secret@x'}\n", "f.yaml:4: destinations.a.url: holds a user name or password"},
		"broken url":         {head + "destinations:\n  a: {url: 'http://secret:x'}\n", "f.yaml:4: destinations.a.url: is not a URL"},
		"fragment":           {head + "destinations:\n  a: {url: 'http://x/#y'}\n", "f.yaml:4: destinations.a.url: holds a fragment"},
		"dotted name":        {head + "destinations:\n  a.b: {url: 'http://x'}\n", "destinations.a.b: a destination's name is"},
		"log format":         {head + "log: {format: xml}\n" + two, "f.yaml:3: log.format: is text or json"},
		"log level":          {head + "log:\n  level: loud\n" + two, "f.yaml:4: log.level: is debug, info, warn or error"},
		"nameless":           {head + "destinations:\n  '': {url: 'http://x'}\n", "f.yaml:4: destinations.: a destination's name is"},
		"lease too short":    {head + "lease: {duration: 500ms}\n" + two, "f.yaml:3: "},
		"renew too seldom":   {head + "lease:\n  duration: 30s\n  renew_every: 20s\n" + two, "f.yaml:5: lease.renew_every: 20s is above half of lease.duration 30s"},
		"slow database":      {head + "lease: {duration: 8s, renew_every: 2s}\n" + two, "f.yaml:2: database.call_timeout: 10s is not below lease.duration 8s"},
		"timeout without renewal": {head + "lease: {renew_every: 0s}\n" + two + "    call_timeout: 30s\n",
			"f.yaml:7: destinations.a.call_timeout: 30s is not below lease.duration 30s, and renewal is off"},
		"default timeout without renewal": {head + "lease: {renew_every: 0s, duration: 15s}\n" + two,
			"f.yaml:5: destinations.a.call_timeout: 15s is not below lease.duration 15s, and renewal is off"},
		"floor over ceiling":   {head + two + "    poll:\n      floor: 2s\n", "f.yaml:6: destinations.a.poll: floor 2s is above ceiling 1s"},
		"backoff":              {head + two + "    backoff: {floor: 2s, ceiling: 1s}\n", "f.yaml:6: destinations.a.backoff: floor 2s is above ceiling 1s"},
		"retry_after":          {head + two + "    retry_after: {floor: 2h}\n", "f.yaml:6: destinations.a.retry_after: floor 2h0m0s is above ceiling 1h0m0s"},
		"reconnect":            {"source: /a\ndatabase:\n  url: x\n  reconnect: {floor: 10s}\n" + two, "f.yaml:4: database.reconnect: floor 10s is above ceiling 5s"},
		"no concurrency":       {head + two + "    concurrency: 0\n", "f.yaml:6: destinations.a.concurrency: is 1 to 1000"},
		"too much concurrency": {head + two + "    concurrency: 1001\n", "f.yaml:6: destinations.a.concurrency: is 1 to 1000"},
		"claims nothing":       {head + two + "    claim: {max_rows: 0}\n", "f.yaml:6: destinations.a.claim.max_rows: is at least 1"},
		"recovers nothing":     {head + "recovery: {limit: 0}\n" + two, "f.yaml:3: recovery.limit: is at least 1"},
		"answer too large":     {head + two + "    max_response_bytes: 1000000000\n", "f.yaml:6: destinations.a.max_response_bytes: is 1024 to 16777216"},
		"settles too many":     {head + "settle: {max_rows: 1001}\n" + two, "f.yaml:3: settle.max_rows: is 1 to 1000"},
		"nobody settles":       {head + "settle: {workers: 0}\n" + two, "f.yaml:3: settle.workers: is 1 to 64"},
		"too few connections":  {"source: /a\ndatabase: {url: x, max_connections: 4}\n" + two, "f.yaml:2: database.max_connections: 4 is below 5"},
		"negative drain":       {head + "drain: {calls: -1s}\n" + two, "f.yaml:3: drain.calls: is 0s to 1h"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseConfig("f.yaml", []byte(test.text))
			if _, ok := errors.AsType[*ConfigError](err); !ok {
				t.Fatalf("not refused as a ConfigError: %v", err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q, want %q", err, test.want)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
		})
	}
}

func TestDestinationsLieOverTheDefaults(t *testing.T) {
	config, err := ParseConfig("f.yaml", []byte(head+`
defaults:
  concurrency: 4
  poll: {ceiling: 5s}
destinations:
  a:
    url: http://a.test
    poll: {floor: 1s}
  b: {url: "https://b.test/x", concurrency: 9}
`))
	if err != nil {
		t.Fatal(err)
	}
	a, b := config.Destinations["a"], config.Destinations["b"]
	if a.Concurrency != 4 || a.Poll != (Range{Floor: time.Second, Ceiling: 5 * time.Second}) {
		t.Errorf("a is %+v", a)
	}
	if b.Concurrency != 9 || b.Poll != (Range{Floor: 20 * time.Millisecond, Ceiling: 5 * time.Second}) {
		t.Errorf("b is %+v", b)
	}
	if a.CallTimeout != DefaultDelivery().CallTimeout || config.Lease != DefaultConfig().Lease {
		t.Error("a default is lost")
	}
}

func TestOverridesComeLastAndAreValidated(t *testing.T) {
	text := []byte("source: /a\ndestinations:\n  a: {url: 'http://a.test'}\n")
	config, err := ParseConfig("f.yaml", text, func(c *Config) { c.Database.URL = "postgres:///y" })
	if err != nil || config.Database.URL != "postgres:///y" {
		t.Errorf("%q, %v", config.Database.URL, err)
	}
	_, err = ParseConfig("f.yaml", text, func(c *Config) { c.Database.URL, c.Log.Level = "x", "loud" })
	if err == nil || !strings.Contains(err.Error(), "log.level") {
		t.Errorf("a bad override gives %v", err)
	}
}

func TestLoadConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.yaml")
	if _, err := LoadConfig(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a missing file gives %v", err)
	}
	if err := os.WriteFile(path, []byte(head+"destinations:\n  a: {url: 'http://a.test'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadConfig(path); err != nil {
		t.Error(err)
	}
}

func TestEveryDefaultIsValid(t *testing.T) {
	if err := testConfig(operations).Validate(); err != nil {
		t.Error(err)
	}
}
