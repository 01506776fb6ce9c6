package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/internal/migrate"
	"github.com/oceanway/outbox/internal/pgerr"
)

// app is what the commands share: the streams, the environment, the logger and the way to the
// database. The root command fills log and the flags before a command runs.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string
	log    *slog.Logger

	databaseURL string // --database-url, or else OUTBOX_DATABASE_URL
	logFormat   string // --log-format, or else OUTBOX_LOG_FORMAT
	logLevel    string // --log-level, or else OUTBOX_LOG_LEVEL
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, log: slog.New(slog.DiscardHandler)}
}

// setting gives the flag's value or, when it is empty, the environment variable's.
func (a *app) setting(flag, variable string) string {
	if flag != "" {
		return flag
	}
	return a.getenv(variable)
}

// startLogging makes the logger that the flags and the environment ask for. It writes to standard
// error, so that standard output stays a command's data.
func (a *app) startLogging() error {
	var level slog.Level
	if name := a.setting(a.logLevel, "OUTBOX_LOG_LEVEL"); name != "" {
		if err := level.UnmarshalText([]byte(name)); err != nil {
			return usagef("log level %q: use debug, info, warn or error", name)
		}
	}
	options := &slog.HandlerOptions{Level: level}
	switch format := a.setting(a.logFormat, "OUTBOX_LOG_FORMAT"); format {
	case "", "text":
		a.log = slog.New(slog.NewTextHandler(a.stderr, options))
	case "json":
		a.log = slog.New(slog.NewJSONHandler(a.stderr, options))
	default:
		return usagef("log format %q: use text or json", format)
	}
	return nil
}

// poolConfig reads the connection string and adds what every connection of the product needs: no
// named prepared statements, so that a transaction pooler may stand in between, and a name in
// pg_stat_activity. The string may set either otherwise.
func (a *app) poolConfig() (*pgxpool.Config, error) {
	url := a.setting(a.databaseURL, "OUTBOX_DATABASE_URL")
	if url == "" {
		return nil, usagef("no database: set OUTBOX_DATABASE_URL or give --database-url")
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, usagef("database url: %w", err)
	}
	if config.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	if parameters := config.ConnConfig.RuntimeParams; parameters["application_name"] == "" {
		parameters["application_name"] = "outbox"
	}
	return config, nil
}

// connect opens one connection. The caller closes it.
func (a *app) connect(ctx context.Context) (*pgx.Conn, error) {
	config, err := a.poolConfig()
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, pgerr.Translate(err)
	}
	return conn, nil
}

// session is connect, a check that the schema is the one this binary knows, and close. Role is the one
// that a login needs for what do does.
func (a *app) session(ctx context.Context, role string, do func(*pgx.Conn) error) error {
	return a.bareSession(ctx, func(conn *pgx.Conn) error {
		_, err := migrate.Check(ctx, conn)
		if err == nil {
			err = do(conn)
		}
		return withGrant(err, role, conn.Config().User)
	})
}

// bareSession is session without the check.
func (a *app) bareSession(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return do(conn)
}

// printf writes a line of a command's output.
func (a *app) printf(format string, values ...any) error {
	if _, err := fmt.Fprintf(a.stdout, format, values...); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// printJSON writes a command's output for programs.
func (a *app) printJSON(value any) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}
