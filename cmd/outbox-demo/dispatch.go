package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/dispatcher"
)

// dispatchCommand makes this binary a dispatcher: the demo starts itself again with it.
const dispatchCommand = "dispatch"

// dispatch is the child process: a dispatcher, and nothing else, on the configuration file that it is given and removes.
// It ends when its standard input does, so that it cannot outlive the demo, however that ends.
func dispatch(ctx context.Context, args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("outbox-demo "+dispatchCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("config", "", "configuration file")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		cancel()
	}()
	if err := runDispatcher(ctx, *file, stderr); err != nil {
		fmt.Fprintln(stderr, "outbox-demo "+dispatchCommand+":", err)
		return exitFailure
	}
	return exitOK
}

func runDispatcher(ctx context.Context, file string, stderr io.Writer) error {
	config, err := dispatcher.LoadConfig(file)
	_ = os.Remove(file) // it was written for this process alone
	if err != nil {
		return err
	}
	pools, err := pgxpool.ParseConfig(config.Database.URL)
	if err != nil {
		return fmt.Errorf("connection string: %w", err)
	}
	config.Database.Prepare(pools)
	pool, err := pgxpool.NewWithConfig(ctx, pools)
	if err != nil {
		return fmt.Errorf("open a pool: %w", err)
	}
	defer pool.Close()
	d, err := dispatcher.New(config, pool, dispatcher.Options{Logger: slog.New(slog.NewTextHandler(stderr, nil))})
	if err != nil {
		return err
	}
	return d.Run(ctx)
}
