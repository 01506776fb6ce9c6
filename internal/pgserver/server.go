package pgserver

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// backend is one way to have a server.
type backend interface {
	address() address
	describe() string
	close(ctx context.Context) error
}

// Server is a running PostgreSQL.
type Server struct {
	backend backend
	version int
}

// Start brings up a server and returns when it accepts connections. The error of a machine that has none is one sentence
// that says what to install.
func Start(ctx context.Context, opts Options) (*Server, error) {
	choice, err := choose(ctx, opts)
	if err != nil {
		return nil, err
	}
	return launch(ctx, choice, opts)
}

func launch(ctx context.Context, choice choice, opts Options) (*Server, error) {
	running, err := choice.start(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", choice.name, err)
	}
	server := &Server{backend: running}
	server.version, err = readVersion(ctx, server.URL(running.address().database))
	if err == nil && server.version < MinVersion {
		err = fmt.Errorf("%s is PostgreSQL %d: 15 is the oldest supported", choice.name, server.version/10000)
	}
	if err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		_ = running.close(closing) // the first error is the one to report
		return nil, err
	}
	return server, nil
}

// Find says which server Start would use, and fails as Start would where there is none. It pulls the image if need be.
func Find(ctx context.Context, opts Options) (string, error) {
	choice, err := choose(ctx, opts)
	if err != nil {
		return "", err
	}
	return choice.name, nil
}

// URL is the connection string of a database on this server as its admin user.
func (s *Server) URL(database string) string {
	return s.backend.address().dsn(database, "", "")
}

// URLFor is the connection string of a database on this server as another user.
func (s *Server) URLFor(database, user, password string) string {
	return s.backend.address().dsn(database, user, password)
}

// DisplayURL is URL without the password of a server that is not ours, fit for a log.
func (s *Server) DisplayURL(database string) string {
	return s.backend.address().display(database)
}

// AdminDatabase is the database to connect to for creating others.
func (s *Server) AdminDatabase() string {
	return s.backend.address().database
}

// Version is the server's server_version_num, for instance 150018.
func (s *Server) Version() int {
	return s.version
}

// Describe names the server for a person: its version and where it comes from.
func (s *Server) Describe() string {
	return fmt.Sprintf("PostgreSQL %d.%d, %s", s.version/10000, s.version%10000, s.backend.describe())
}

// Private tells whether the server is ours alone: its admin user is a superuser and it is gone after Close.
func (s *Server) Private() bool {
	return s.backend.address().private
}

// Close stops a private server and removes what it wrote; it leaves another's server alone.
func (s *Server) Close(ctx context.Context) error {
	return s.backend.close(ctx)
}

// Stop shuts a private local cluster down and keeps its data for Resume. Other servers answer ErrUnsupported.
func (s *Server) Stop(ctx context.Context, mode StopMode) error {
	local, ok := s.backend.(*cluster)
	if !ok {
		return ErrUnsupported
	}
	return local.stop(ctx, mode)
}

// Resume starts a cluster again after Stop. Other servers answer ErrUnsupported.
func (s *Server) Resume(ctx context.Context) error {
	local, ok := s.backend.(*cluster)
	if !ok {
		return ErrUnsupported
	}
	return local.run(ctx)
}

// Restart is Stop and Resume.
func (s *Server) Restart(ctx context.Context, mode StopMode) error {
	if err := s.Stop(ctx, mode); err != nil {
		return err
	}
	return s.Resume(ctx)
}

func readVersion(ctx context.Context, dsn string) (int, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx)
	var text string
	if err := conn.QueryRow(ctx, "show server_version_num").Scan(&text); err != nil {
		return 0, fmt.Errorf("read the server version: %w", err)
	}
	version, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("read the server version: %w", err)
	}
	return version, nil
}

// awaitReady returns the first of the addresses at which a session can be opened, or fails as soon as alive reports why
// there never will be one.
func awaitReady(ctx context.Context, at []address, alive func(context.Context) error) (address, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		var failed error
		for _, candidate := range at {
			if failed = tryConnect(ctx, candidate); failed == nil {
				return candidate, nil
			}
		}
		if ctx.Err() != nil {
			return address{}, fmt.Errorf("the server does not accept connections: %w", failed)
		}
		if err := alive(ctx); err != nil {
			return address{}, err
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

func tryConnect(ctx context.Context, at address) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, at.dsn(at.database, "", ""))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if err := conn.Close(ctx); err != nil {
		return fmt.Errorf("disconnect: %w", err)
	}
	return nil
}
