package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/internal/migrate"
	"github.com/oceanway/outbox/internal/pgserver"
	"github.com/oceanway/outbox/internal/scenario"
)

// closeTimeout bounds the clean-up.
const closeTimeout = 20 * time.Second

// stage is the server with its two databases, and one pool for each part that is played on them. Every part logs in as a
// user of its own that holds one role of the outbox.
type stage struct {
	server   *pgserver.Server
	prefix   string // of everything that this demo creates on the server
	password string
	release  contracts.DefinitionIdentity

	producer *pgxpool.Pool // producer's database, outbox_producer
	reader   *pgxpool.Pool // producer's database, outbox_reader
	inbox    *pgxpool.Pool // consumer's database, outbox_consumer
	audit    *pgxpool.Pool // consumer's database, its owner
}

// stageUsers are the users of the demo and the role that each holds.
func stageUsers() map[string]string {
	return map[string]string{
		"producer": "outbox_producer", "dispatcher": "outbox_dispatcher", "consumer": "outbox_consumer",
		"governor": "outbox_governor", "reader": "outbox_reader",
	}
}

// openStage finds a server and sets both databases up.
func openStage(ctx context.Context, note func(string, ...any)) (*stage, error) {
	server, err := pgserver.Start(ctx, pgserver.Options{
		NoSync:   true,
		Progress: func(message string) { note("%s", message) },
	})
	if err != nil {
		return nil, err
	}
	tag := make([]byte, 12)
	_, _ = rand.Read(tag) // crypto/rand does not fail
	s := &stage{server: server, prefix: "outbox_demo_" + hex.EncodeToString(tag[:4]), password: hex.EncodeToString(tag[4:])}
	if err := s.setUp(ctx); err != nil {
		return nil, errors.Join(err, s.close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *stage) setUp(ctx context.Context) error {
	if err := s.install(ctx); err != nil {
		return err
	}
	if err := s.activate(ctx); err != nil {
		return err
	}
	return s.openPools(ctx)
}

func (s *stage) producerDatabase() string { return s.prefix + "_producer" }
func (s *stage) consumerDatabase() string { return s.prefix + "_consumer" }

// url is the connection string of one of the demo's users.
func (s *stage) url(database, user string) string {
	return s.server.URLFor(database, s.prefix+"_"+user, s.password)
}

// install creates users and databases and migrates both.
func (s *stage) install(ctx context.Context) error {
	err := s.asAdmin(ctx, s.server.AdminDatabase(), func(conn *pgx.Conn) error {
		if err := migrate.Roles(ctx, conn); err != nil {
			return err
		}
		for user, role := range stageUsers() {
			sql := fmt.Sprintf("create role %s login password '%s' in role %s", s.prefix+"_"+user, s.password, role)
			if _, err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("create the user %s: %w", user, err)
			}
		}
		for _, database := range []string{s.producerDatabase(), s.consumerDatabase()} {
			if _, err := conn.Exec(ctx, "create database "+database+" encoding 'UTF8' template template0"); err != nil {
				return fmt.Errorf("create a database: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = s.asAdmin(ctx, s.producerDatabase(), func(conn *pgx.Conn) error {
		if err := migrate.Up(ctx, conn, nil); err != nil {
			return err
		}
		return scenario.Setup(ctx, conn)
	})
	if err != nil {
		return err
	}
	return s.asAdmin(ctx, s.consumerDatabase(), func(conn *pgx.Conn) error {
		if err := migrate.Up(ctx, conn, nil); err != nil {
			return err
		}
		return consumers.SetupProjection(ctx, conn)
	})
}

// activate registers and activates the first release's delivery set, as its governor.
func (s *stage) activate(ctx context.Context) error {
	var err error
	if s.release, err = contracts.ParseDefinitionIdentity(contracts.FirstRelease()); err != nil {
		return err
	}
	digest, err := hex.DecodeString(s.release.DeliverySetDefinitionDigest)
	if err != nil {
		return fmt.Errorf("delivery set digest: %w", err)
	}
	return withConn(ctx, s.url(s.producerDatabase(), "governor"), func(conn *pgx.Conn) error {
		var result string
		if err := conn.QueryRow(ctx, sqlRegister, string(contracts.FirstRelease()), "demo").Scan(&result); err != nil {
			return fmt.Errorf("register the delivery set: %w", err)
		}
		err := conn.QueryRow(ctx, sqlActivate, s.release.DeliverySetVersion, s.release.DeliverySetDefinitionSchemaVersion,
			s.release.DeliverySetDefinitionDigestAlgorithmVersion, digest).Scan(&result)
		if err != nil {
			return fmt.Errorf("activate the delivery set: %w", err)
		}
		return nil
	})
}

func (s *stage) openPools(ctx context.Context) (err error) {
	for _, wanted := range []struct {
		pool **pgxpool.Pool
		url  string
		size int32
	}{
		{&s.producer, s.url(s.producerDatabase(), "producer"), parallelRuns},
		{&s.reader, s.url(s.producerDatabase(), "reader"), 2},
		{&s.inbox, s.url(s.consumerDatabase(), "consumer"), 8},
		{&s.audit, s.server.URL(s.consumerDatabase()), 1},
	} {
		if *wanted.pool, err = openPool(ctx, wanted.url, wanted.size); err != nil {
			return err
		}
	}
	return nil
}

// unprepared turns off named prepared statements, which a transaction pooler in between would not keep.
func unprepared(config *pgx.ConnConfig) { config.DefaultQueryExecMode = pgx.QueryExecModeExec }

func openPool(ctx context.Context, url string, size int32) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("connection string: %w", err)
	}
	config.MaxConns = size
	unprepared(config.ConnConfig)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open a pool: %w", err)
	}
	return pool, nil
}

func (s *stage) asAdmin(ctx context.Context, database string, do func(*pgx.Conn) error) error {
	return withConn(ctx, s.server.URL(database), do)
}

func withConn(ctx context.Context, url string, do func(*pgx.Conn) error) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("connection string: %w", err)
	}
	unprepared(config)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return do(conn)
}

// close ends everything that the stage holds. On a server that is not ours it drops what the demo created there; the
// roles of the outbox stay.
func (s *stage) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	for _, pool := range []*pgxpool.Pool{s.producer, s.reader, s.inbox, s.audit} {
		if pool != nil {
			pool.Close()
		}
	}
	var dropped error
	if !s.server.Private() {
		dropped = s.asAdmin(ctx, s.server.AdminDatabase(), func(conn *pgx.Conn) error { return s.drop(ctx, conn) })
	}
	return errors.Join(dropped, s.server.Close(ctx))
}

func (s *stage) drop(ctx context.Context, conn *pgx.Conn) error {
	var errs []error
	for _, database := range []string{s.producerDatabase(), s.consumerDatabase()} {
		// Our sessions are over; the server waits some seconds for the last of them. Ending them by force takes a
		// right over each of them that an unprivileged admin lacks.
		_, err := conn.Exec(ctx, "drop database if exists "+database)
		errs = append(errs, err)
	}
	for user := range stageUsers() {
		_, err := conn.Exec(ctx, "drop role if exists "+s.prefix+"_"+user)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
