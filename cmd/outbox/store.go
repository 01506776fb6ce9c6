package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/oceanway/outbox/internal/pgerr"
)

// This file holds every SQL text of the commands. Each function is one call in a transaction of its own.

// begin starts each of these transactions. What the text form or the meaning of a statement depends on
// is set for the transaction alone, so that neither the defaults of the login nor what a pooler left
// in the session changes an answer.
const begin = `begin isolation level read committed;
set local search_path = pg_catalog, pg_temp;
set local client_encoding = 'UTF8';
set local DateStyle = 'ISO, MDY';
set local IntervalStyle = 'postgres';
set local TimeZone = 'UTC';
set local bytea_output = 'hex';
set local extra_float_digits = 1`

// transact runs do in a transaction that begins with begin.
func transact(ctx context.Context, conn *pgx.Conn, do func(pgx.Tx) error) error {
	return pgerr.Translate(pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: begin}, do))
}

// brokenRule is one rule that a document breaks.
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

func registerDeliverySet(ctx context.Context, conn *pgx.Conn, definition []byte, release string) (string, error) {
	return value[string](ctx, conn, "select outbox.register_delivery_set($1::json, $2::text)", string(definition), release)
}

func activateDeliverySet(ctx context.Context, conn *pgx.Conn, named identity, wait time.Duration) (string, error) {
	return value[string](ctx, conn, "select outbox.activate_delivery_set($1::text, $2::text, $3::text, $4::bytea, $5::interval)",
		named.DeliverySetVersion, named.DeliverySetDefinitionSchemaVersion,
		named.DeliverySetDefinitionDigestAlgorithmVersion, named.digest, wait)
}

// registeredIdentity looks a registered version up.
func registeredIdentity(ctx context.Context, conn *pgx.Conn, version string) (identity, error) {
	set, err := deliverySetByVersion(ctx, conn, version)
	if err != nil {
		return identity{}, err
	}
	return newIdentity(set.identity())
}

// deliverySetColumns are those of deliverySet, without the definition.
const deliverySetColumns = `
	delivery_set_version as version, delivery_set_definition_schema_version as schema_version,
	delivery_set_definition_digest_algorithm_version as digest_algorithm_version,
	encode(delivery_set_definition_digest, 'hex') as digest, status, source_release,
	registered_at, registered_by::text, activated_at, activated_by::text`

func deliverySets(ctx context.Context, conn *pgx.Conn) ([]deliverySet, error) {
	return query[deliverySet](ctx, conn, "select "+deliverySetColumns+`, null::json as definition
		from outbox.delivery_set_overview
		order by registered_at desc, delivery_set_version`)
}

func deliverySetByVersion(ctx context.Context, conn *pgx.Conn, version string) (deliverySet, error) {
	sets, err := query[deliverySet](ctx, conn, "select "+deliverySetColumns+`, definition::json
		from outbox.delivery_set_overview
		where delivery_set_version = $1::text`, version)
	if err == nil && len(sets) == 0 {
		return deliverySet{}, fmt.Errorf("no definition is registered as %q", version)
	}
	if err != nil {
		return deliverySet{}, err
	}
	return sets[0], nil
}

// activeDeliverySet gives the active definition, or nil before the first activation.
func activeDeliverySet(ctx context.Context, conn *pgx.Conn) (*deliverySet, error) {
	sets, err := query[deliverySet](ctx, conn, "select "+deliverySetColumns+`, null::json as definition
		from outbox.delivery_set_overview
		where status = 'active'`)
	if err != nil || len(sets) == 0 {
		return nil, err
	}
	return &sets[0], nil
}

func backlogs(ctx context.Context, conn *pgx.Conn) ([]backlog, error) {
	return query[backlog](ctx, conn, `
		select
			destination, paused, waiting, waiting_is_capped as waiting_capped,
			extract(epoch from clock_timestamp() - oldest_created_at)::bigint as oldest_seconds,
			next_available_at as next_available, leased, leased_is_capped as leased_capped,
			quarantined, quarantined_is_capped as quarantined_capped
		from outbox.backlog
		order by destination`)
}

func stuckLeases(ctx context.Context, conn *pgx.Conn, limit int) ([]stuckLease, error) {
	return query[stuckLease](ctx, conn, `
		select event_id::text, destination, lease_owner, lease_expires_at, attempt_count
		from outbox.stuck_leases
		order by lease_expires_at, event_id, destination
		limit $1::bigint`, limit)
}

func pauseDestination(ctx context.Context, conn *pgx.Conn, destination, reason string) error {
	return call(ctx, conn, "select outbox.pause_destination($1::text, $2::text)", destination, reason)
}

func resumeDestination(ctx context.Context, conn *pgx.Conn, destination, reason string) error {
	return call(ctx, conn, "select outbox.resume_destination($1::text, $2::text)", destination, reason)
}

// appendTimes gives bounds of the time in which events were appended: none can be older than the
// first registered definition.
func appendTimes(ctx context.Context, conn *pgx.Conn) (first, now time.Time, err error) {
	err = transact(ctx, conn, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			select coalesce(min(registered_at), clock_timestamp()), clock_timestamp()
			from outbox.delivery_set_overview`).Scan(&first, &now)
	})
	return first, now, err
}

// verifySlice checks what was appended from one time up to another; nil leaves a side open.
func verifySlice(ctx context.Context, conn *pgx.Conn, from, to *time.Time, canonical bool) ([]finding, error) {
	return query[finding](ctx, conn, `
		select invariant, relation, event_id::text, destination, detail
		from outbox.verify($1::timestamptz, $2::timestamptz, $3::boolean)`, from, to, canonical)
}

// query collects the rows of one statement by column name.
func query[T any](ctx context.Context, conn *pgx.Conn, sql string, args ...any) (found []T, err error) {
	err = transact(ctx, conn, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return pgerr.Translate(err)
		}
		found, err = pgx.CollectRows(rows, pgx.RowToStructByName[T])
		return pgerr.Translate(err)
	})
	return found, err
}

// value gives the one value of one statement.
func value[T any](ctx context.Context, conn *pgx.Conn, sql string, args ...any) (found T, err error) {
	err = transact(ctx, conn, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, sql, args...).Scan(&found)
	})
	return found, err
}

// call runs one statement for what it does.
func call(ctx context.Context, conn *pgx.Conn, sql string, args ...any) error {
	return transact(ctx, conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return pgerr.Translate(err)
	})
}
