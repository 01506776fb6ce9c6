package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/oceanway/outbox/dispatcher"
	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/internal/pgserver"
)

// The demo starts its own binary again as a dispatcher; in a test that binary is the test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == dispatchCommand {
		main()
	}
	os.Exit(m.Run())
}

func TestDemoPublishesEverythingExactlyAsFrozen(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	var stdout, stderr bytes.Buffer
	status := execute(t.Context(), []string{"-json", "-runs", "3", "-timeout", "2m", "-seed", t.Name()}, &stdout, &stderr)
	if status != exitOK {
		t.Fatalf("status %d\n%s%s", status, &stdout, &stderr)
	}
	var r result
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("%v in %s", err, &stdout)
	}
	if !r.OK || r.Events != 54 || r.Published != 54 || r.Deliveries != 57 || r.Violations != 0 || len(r.EventTypes) != 13 {
		t.Errorf("got %+v", r)
	}
	if len(r.Dispatchers) != 2 || r.Dispatchers[0].Ended != "SIGKILL" || r.Dispatchers[1].Ended != "SIGTERM, drained" {
		t.Errorf("dispatchers: %+v", r.Dispatchers)
	}
}

func TestInterruptedDemoCleansUp(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	ctx, interrupt := context.WithCancel(t.Context())
	out := &interrupter{word: "dispatcher 1 started", interrupt: interrupt}
	var stderr bytes.Buffer
	if status := execute(ctx, []string{"-runs", "50"}, out, &stderr); status != exitInterrupted {
		t.Fatalf("status %d\n%s%s", status, &out.Buffer, &stderr)
	}
	if !strings.Contains(stderr.String(), "cleaned up") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("standard error: %s", &stderr)
	}
}

// interrupter presses Ctrl-C when a word goes by.
type interrupter struct {
	bytes.Buffer
	word      string
	interrupt func()
}

func (i *interrupter) Write(p []byte) (int, error) {
	n, err := i.Buffer.Write(p)
	if bytes.Contains(i.Bytes(), []byte(i.word)) {
		i.interrupt()
	}
	return n, err
}

func TestNoServerIsOneSentence(t *testing.T) {
	t.Setenv(pgserver.EnvServer, "local")
	t.Setenv(pgserver.EnvURL, "")
	t.Setenv(pgserver.EnvBinDir, t.TempDir())
	var stdout, stderr bytes.Buffer
	if status := execute(t.Context(), nil, &stdout, &stderr); status == exitOK {
		t.Error("the demo ran without PostgreSQL")
	}
	if strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("standard error: %s", &stderr)
	}
}

func TestOptions(t *testing.T) {
	for _, args := range [][]string{{"-runs", "0"}, {"-timeout", "0s"}, {"more"}, {"-unknown"}} {
		var stdout, stderr bytes.Buffer
		if status := execute(t.Context(), args, &stdout, &stderr); status != exitUsage {
			t.Errorf("%v: status %d", args, status)
		}
	}
	var stderr bytes.Buffer
	if status := execute(t.Context(), []string{"-h"}, &stderr, &stderr); status != exitOK {
		t.Errorf("-h: status %d", status)
	}
}

func TestDispatcherConfigurationIsAccepted(t *testing.T) {
	d := &dispatching{cast: &cast{address: "127.0.0.1:1"}}
	text := d.configFor(1, `postgres:///x?host=/tmp/a"b`)
	config, err := dispatcher.ParseConfig("demo", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Destinations) != 4 || config.Database.URL != `postgres:///x?host=/tmp/a"b` {
		t.Errorf("got %+v", config)
	}
	for _, kind := range consumers.Kinds() {
		if config.Destinations[string(kind)].Backoff.Ceiling != time.Second {
			t.Errorf("%s lost the defaults", kind)
		}
	}
}

func TestTailKeepsTheLastLines(t *testing.T) {
	var passed bytes.Buffer
	log := &tail{pass: &passed}
	for range 3 * tailLines {
		_, _ = log.Write([]byte("early\n"))
	}
	_, _ = log.Write([]byte("la"))
	_, _ = log.Write([]byte("st\nhalf"))
	got := log.String()
	if !strings.HasSuffix(got, "\nlast") || strings.Count(got, "\n") != tailLines-1 {
		t.Errorf("got %q", got)
	}
	if !strings.HasSuffix(passed.String(), "early\nlast\n") {
		t.Errorf("passed on %q", passed.String())
	}
}
