package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/pgerr"
)

// This file holds every SQL text of the commands. Each function is one call.

// brokenRule is one rule that a definition breaks.
type brokenRule struct {
	Path   string `json:"path"`
	Rule   string `json:"rule"`
	Detail string `json:"detail"`
}

func definitionViolations(ctx context.Context, conn *pgx.Conn, definition []byte) ([]brokenRule, error) {
	return query[brokenRule](ctx, conn, `
		select path, rule, coalesce(detail, '') as detail
		from contracts.delivery_set_violations($1::json)`, string(definition))
}

func registerDeliverySet(ctx context.Context, conn *pgx.Conn, definition []byte, release string) (result string, err error) {
	err = conn.QueryRow(ctx, "select outbox.register_delivery_set($1::json, $2::text)", string(definition), release).Scan(&result)
	return result, pgerr.Translate(err)
}

func activateDeliverySet(ctx context.Context, conn *pgx.Conn, named identity, wait time.Duration) (result string, err error) {
	err = conn.QueryRow(ctx, "select outbox.activate_delivery_set($1::text, $2::text, $3::text, $4::bytea, $5::interval)",
		named.DeliverySetVersion, named.DeliverySetDefinitionSchemaVersion,
		named.DeliverySetDefinitionDigestAlgorithmVersion, named.digest, wait,
	).Scan(&result)
	return result, pgerr.Translate(err)
}

// registeredIdentity looks a registered version up.
func registeredIdentity(ctx context.Context, conn *pgx.Conn, version string) (identity, error) {
	named := identity{}
	err := conn.QueryRow(ctx, `
		select
			delivery_set_version, delivery_set_definition_schema_version,
			delivery_set_definition_digest_algorithm_version, delivery_set_definition_digest,
			encode(delivery_set_definition_digest, 'hex')
		from outbox.delivery_set_overview
		where delivery_set_version = $1::text`, version,
	).Scan(&named.DeliverySetVersion, &named.DeliverySetDefinitionSchemaVersion,
		&named.DeliverySetDefinitionDigestAlgorithmVersion, &named.digest, &named.DeliverySetDefinitionDigest)
	if errors.Is(err, pgx.ErrNoRows) {
		return named, fmt.Errorf("no definition is registered as %q, and no file is called so", version)
	}
	return named, pgerr.Translate(err)
}

func pauseDestination(ctx context.Context, conn *pgx.Conn, destination, reason string) error {
	_, err := conn.Exec(ctx, "select outbox.pause_destination($1::text, $2::text)", destination, reason)
	return pgerr.Translate(err)
}

func resumeDestination(ctx context.Context, conn *pgx.Conn, destination, reason string) error {
	_, err := conn.Exec(ctx, "select outbox.resume_destination($1::text, $2::text)", destination, reason)
	return pgerr.Translate(err)
}

// appendTimes gives bounds of the time in which events were appended: none can be older than the
// first registered definition.
func appendTimes(ctx context.Context, conn *pgx.Conn) (first, now time.Time, err error) {
	err = conn.QueryRow(ctx, `
		select coalesce(min(registered_at), clock_timestamp()), clock_timestamp()
		from outbox.delivery_set_overview`).Scan(&first, &now)
	return first, now, pgerr.Translate(err)
}

// verifySlice checks what was appended from one time up to another; nil leaves a side open.
func verifySlice(ctx context.Context, conn *pgx.Conn, from, to *time.Time, canonical bool) ([]finding, error) {
	return query[finding](ctx, conn, `
		select invariant, relation, event_id::text, destination, detail
		from outbox.verify($1::timestamptz, $2::timestamptz, $3::boolean)`, from, to, canonical)
}

// query collects the rows of one statement by column name.
func query[T any](ctx context.Context, conn *pgx.Conn, sql string, args ...any) ([]T, error) {
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, pgerr.Translate(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return nil, pgerr.Translate(err)
	}
	return found, nil
}

// exampleDefinition is what the help texts use as an example.
const exampleDefinition = contracts.FirstReleaseName
