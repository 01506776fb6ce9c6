package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/dispatcher"
	"github.com/oceanway/outbox/internal/migrate"
	"github.com/oceanway/outbox/internal/pgerr"
)

// runFlags are the settings of run that a flag or an environment variable may give.
type runFlags struct {
	config string // --config, or else OUTBOX_CONFIG
	source string // --source, or else OUTBOX_SOURCE
	worker string // --worker, or else OUTBOX_WORKER
	drain  string // --drain, or else OUTBOX_DRAIN
}

// exampleConfig shows every setting; those that are commented out have their defaults.
const exampleConfig = `  source: /producers/core          # who produces these events (ce-source); required
  destinations:
    core_operations:
      url: https://operations.internal/outbox
    metering_input_processor:
      url: https://metering.internal/outbox
      concurrency: 64              # anything under defaults may be set here too

  # database:
  #   url: postgres:///core        # better: OUTBOX_DATABASE_URL
  #   max_connections: 8
  #   call_timeout: 10s
  #   reconnect: {floor: 100ms, ceiling: 5s}
  # worker: ""                     # name in lease_owner; default host/process id
  # log: {format: text, level: info}
  # lease: {duration: 30s, renew_every: 10s}
  # recovery: {every: 2s, limit: 500, delay: 0s}
  # settle: {max_rows: 200, max_bytes: 4194304, linger: 3ms, workers: 2}
  # drain: {calls: 20s, settle: 5s}
  # defaults:                      # of every destination
  #   concurrency: 16
  #   call_timeout: 15s            # connecting, headers and body together
  #   max_response_bytes: 262144
  #   claim: {max_rows: 100, max_bytes: 8388608, linger: 3ms, scan_every: 100ms}
  #   poll: {floor: 20ms, ceiling: 1s}
  #   backoff: {floor: 1s, ceiling: 15m}
  #   retry_after: {floor: 100ms, ceiling: 1h}
`

func newRunCommand(a *app) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Deliver events to their destinations until stopped",
		Long: `run claims deliveries, posts each event to its destination, and records what the
consumer answered. Any number of processes may run it against one database.

SIGTERM or SIGINT stops claiming, lets calls in flight finish within the drain
time, gives back what was not sent, and exits with 0; a second signal exits at
once and leaves the rest to lease recovery. Once it runs it never exits because
of the database: it waits until the database is back.

The configuration is one YAML file. Unknown and duplicate keys are refused, and
so are values that cannot work together, with the line. A flag wins over its
environment variable, and that over the file:

` + exampleConfig + `
It needs the role outbox_dispatcher and works through a transaction pooler.`,
		Example: `  outbox run --config outbox.yaml
  OUTBOX_CONFIG=outbox.yaml OUTBOX_DATABASE_URL='postgres:///core' outbox run`,
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runDispatcher(cmd.Context(), flags)
		},
	}
	cmd.Flags().StringVar(&flags.config, "config", "", "configuration file (OUTBOX_CONFIG)")
	cmd.Flags().StringVar(&flags.source, "source", "", "who produces these events (OUTBOX_SOURCE)")
	cmd.Flags().StringVar(&flags.worker, "worker", "", "name of this process in lease_owner (OUTBOX_WORKER)")
	cmd.Flags().StringVar(&flags.drain, "drain", "", "time that calls get to finish at the end (OUTBOX_DRAIN)")
	return cmd
}

// runDispatcher checks everything that can be checked at the start, and then runs until ctx ends.
func (a *app) runDispatcher(ctx context.Context, flags runFlags) error {
	config, err := a.dispatcherConfig(flags)
	if err != nil {
		return err
	}
	a.databaseURL, a.logFormat, a.logLevel = config.Database.URL, config.Log.Format, config.Log.Level
	if err := a.startLogging(); err != nil {
		return err
	}
	poolConfig, err := a.poolConfig()
	if err != nil {
		return err
	}
	config.Database.Prepare(poolConfig)
	pool, err := pgxpool.NewWithConfig(ctx, poolConfig)
	if err != nil {
		return fmt.Errorf("open the pool: %w", err)
	}
	defer pool.Close()
	if err := checkDispatcher(ctx, pool, config.Database.CallTimeout); err != nil {
		if ctx.Err() != nil {
			return nil // stopped before it began
		}
		return err
	}
	d, err := dispatcher.New(config, pool, dispatcher.Options{Logger: a.log})
	if err != nil {
		return err
	}
	err = d.Run(ctx)
	if refused := (*dispatcher.ConfigError)(nil); errors.As(err, &refused) {
		return usage(err) // the database knows no such destination, or sets another bound
	}
	return err
}

// dispatcherConfig reads the file and lays the environment and the flags over it.
func (a *app) dispatcherConfig(flags runFlags) (dispatcher.Config, error) {
	path := a.setting(flags.config, "OUTBOX_CONFIG")
	if path == "" {
		return dispatcher.Config{}, usagef("no configuration: set OUTBOX_CONFIG or give --config; see outbox run --help")
	}
	var drain time.Duration
	drainText := a.setting(flags.drain, "OUTBOX_DRAIN")
	if drainText != "" {
		var err error
		if drain, err = time.ParseDuration(drainText); err != nil {
			return dispatcher.Config{}, usagef("drain time %q: use a duration such as 20s", drainText)
		}
	}
	config, err := dispatcher.LoadConfig(path, func(c *dispatcher.Config) {
		override(&c.Database.URL, a.setting(a.databaseURL, "OUTBOX_DATABASE_URL"))
		override(&c.Log.Format, a.setting(a.logFormat, "OUTBOX_LOG_FORMAT"))
		override(&c.Log.Level, a.setting(a.logLevel, "OUTBOX_LOG_LEVEL"))
		override(&c.Source, a.setting(flags.source, "OUTBOX_SOURCE"))
		override(&c.Worker, a.setting(flags.worker, "OUTBOX_WORKER"))
		if drainText != "" {
			c.Drain.Calls = drain
		}
	})
	return config, usage(err)
}

func override(value *string, by string) {
	if by != "" {
		*value = by
	}
}

// checkDispatcher finds a database that is out of reach, of another release, or not for this login.
func checkDispatcher(ctx context.Context, pool *pgxpool.Pool, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := pool.Ping(ctx); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("%w: no answer within %v", pgerr.ErrUnavailable, timeout)
		}
		return fmt.Errorf("connect: %w", pgerr.Translate(err))
	}
	login := pool.Config().ConnConfig.User
	if _, err := migrate.Check(ctx, pool); err != nil {
		return withGrant(err, "outbox_dispatcher", login)
	}
	allowed, err := dispatcher.NewStore(pool, timeout).MayDispatch(ctx)
	if err != nil {
		return fmt.Errorf("look for the privileges: %w", err)
	}
	if !allowed {
		err := fmt.Errorf("%w: this login may not call the dispatcher's functions", pgerr.ErrPermission)
		return withGrant(err, "outbox_dispatcher", login)
	}
	return nil
}
