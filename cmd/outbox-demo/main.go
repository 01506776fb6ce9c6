package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/oceanway/outbox/internal/pgserver"
)

// The exit statuses of the demo; those of the outbox command where they mean the same.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitNoServer    = 3
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the demo at once
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are what a person may choose.
type options struct {
	runs    int
	seed    string
	timeout time.Duration
	json    bool
	verbose bool
}

func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == dispatchCommand {
		return dispatch(ctx, args[1:], stderr)
	}
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	}
	show := newView(o, stdout, stderr)
	result, err := runDemo(ctx, o, show)
	show.close()
	if err != nil {
		return explain(ctx, err, stderr)
	}
	if err := show.result(result); err != nil {
		fmt.Fprintln(stderr, "outbox-demo:", err)
		return exitFailure
	}
	if !result.OK {
		return exitFailure
	}
	return exitOK
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("outbox-demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.runs, "runs", 16, "how many runs to play, 1 to 10000")
	flags.StringVar(&o.seed, "seed", "demo", "seed of all identities")
	flags.DurationVar(&o.timeout, "timeout", 50*time.Second, "how long everything may take, from the start of the server on")
	flags.BoolVar(&o.json, "json", false, "print the result as JSON and nothing else")
	flags.BoolVar(&o.verbose, "verbose", false, "pass the dispatchers' logs on")
	if err := flags.Parse(args); err != nil {
		return o, fmt.Errorf("arguments: %w", err)
	}
	var fault string
	switch {
	case flags.NArg() > 0:
		fault = fmt.Sprintf("unexpected argument %q", flags.Arg(0))
	case o.runs < 1 || o.runs > 10000:
		fault = "-runs must be 1 to 10000"
	case o.timeout <= 0:
		fault = "-timeout must be positive"
	}
	if fault != "" {
		fmt.Fprintln(stderr, "outbox-demo:", fault)
		return o, errors.New(fault)
	}
	return o, nil
}

// explain reports an error in one line and chooses the exit status.
func explain(ctx context.Context, err error, stderr io.Writer) int {
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "outbox-demo: interrupted, everything was cleaned up")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "outbox-demo:", strings.Join(strings.Fields(err.Error()), " "))
	if errors.Is(err, pgserver.ErrNoServer) {
		return exitNoServer
	}
	return exitFailure
}
