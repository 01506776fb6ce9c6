package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/oceanway/outbox/dispatcher"
)

// runIt executes the run command alone and gives its exit status and what it wrote to standard error.
func runIt(t *testing.T, environment map[string]string, args ...string) (status int, stderr string) {
	t.Helper()
	var stdout, errors bytes.Buffer
	a := newApp(strings.NewReader(""), &stdout, &errors, func(name string) string { return environment[name] })
	cmd := newRunCommand(a)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{}, args...)) // without a list of its own a command takes this process's
	err := cmd.ExecuteContext(t.Context())
	if err != nil {
		errors.WriteString(err.Error())
	}
	return exitStatus(err), errors.String()
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "outbox.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheExampleConfigurationIsValidAndShowsTheDefaults(t *testing.T) {
	text := regexp.MustCompile(`(?m)^  `).ReplaceAllString(exampleConfig, "")
	shown := regexp.MustCompile(`(?m)^# `).ReplaceAllString(text, "")
	for name, text := range map[string]string{"as it is": text, "with everything": shown} {
		config, err := dispatcher.ParseConfig("example", []byte(text), func(c *dispatcher.Config) { c.Database.URL = "postgres:///core" })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defaults := dispatcher.DefaultConfig()
		if config.Defaults != defaults.Defaults || config.Lease != defaults.Lease || config.Recovery != defaults.Recovery ||
			config.Settle != defaults.Settle || config.Drain != defaults.Drain || config.Log != defaults.Log ||
			config.Database.Reconnect != defaults.Database.Reconnect || config.Database.MaxConnections != defaults.Database.MaxConnections ||
			config.Database.CallTimeout != defaults.Database.CallTimeout {
			t.Errorf("%s: %+v\nwant the defaults %+v", name, config, defaults)
		}
		if config.Destinations["metering_input_processor"].Concurrency != 64 {
			t.Errorf("%s: a destination's own value is lost", name)
		}
	}
}

func TestRunRefusesAConfigurationWithItsLine(t *testing.T) {
	path := writeConfig(t, "source: /a\ndatabase: {url: 'host=/nowhere dbname=d user=u'}\ndestinations:\n  a: {url: 'http://x', pol: 1}\n")
	for name, test := range map[string]struct {
		environment map[string]string
		args        []string
		want        string
	}{
		"no configuration": {nil, nil, "set OUTBOX_CONFIG or give --config"},
		"no file":          {nil, []string{"--config", "/nowhere/outbox.yaml"}, "/nowhere/outbox.yaml"},
		"unknown key":      {nil, []string{"--config", path}, path + `:4: unknown field "pol"`},
		"from environment": {map[string]string{"OUTBOX_CONFIG": path}, nil, path + `:4: unknown field "pol"`},
		"drain":            {map[string]string{"OUTBOX_DRAIN": "soon", "OUTBOX_CONFIG": path}, nil, `drain time "soon"`},
	} {
		if status, stderr := runIt(t, test.environment, test.args...); status != exitUsage || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: status %d, %q", name, status, stderr)
		}
	}
}

func TestFlagsWinOverTheEnvironmentAndThatOverTheFile(t *testing.T) {
	path := writeConfig(t, "source: /file\nworker: file\ndatabase: {url: 'postgres:///file'}\ndestinations:\n  a: {url: 'http://x'}\n")
	environment := map[string]string{"OUTBOX_SOURCE": "/environment", "OUTBOX_WORKER": "environment", "OUTBOX_DATABASE_URL": "postgres:///environment"}
	a := newApp(nil, nil, nil, func(name string) string { return environment[name] })
	config, err := a.dispatcherConfig(runFlags{config: path, source: "/flag", drain: "7s"})
	if err != nil {
		t.Fatal(err)
	}
	if config.Source != "/flag" || config.Worker != "environment" || config.Database.URL != "postgres:///environment" || config.Drain.Calls.Seconds() != 7 {
		t.Errorf("%+v", config)
	}
}

func TestRunWithoutADatabaseExits(t *testing.T) {
	path := writeConfig(t, "source: /a\ndatabase: {url: 'host=/nowhere dbname=d user=u'}\ndestinations:\n  a: {url: 'http://x'}\n")
	if status, stderr := runIt(t, nil, "--config", path); status != exitUnreachable || strings.Count(stderr, "\n") > 0 {
		t.Errorf("status %d, %q", status, stderr)
	}
}
