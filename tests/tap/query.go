package tap

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Querier is a session: a connection, a pool or a transaction of pgx.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Exec runs a statement that must succeed and returns how many rows it touched.
func Exec(t testing.TB, db Querier, sql string, args ...any) int64 {
	t.Helper()
	tag, err := db.Exec(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%s\n  in: %s", explain(err), sql)
	}
	return tag.RowsAffected()
}

// Value returns the single value of a query.
func Value[T any](t testing.TB, db Querier, sql string, args ...any) T {
	t.Helper()
	var value T
	if err := db.QueryRow(t.Context(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s\n  in: %s", explain(err), sql)
	}
	return value
}

// Column returns the single column of a query.
func Column[T any](t testing.TB, db Querier, sql string, args ...any) []T {
	t.Helper()
	rows, err := db.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%s\n  in: %s", explain(err), sql)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s\n  in: %s", explain(err), sql)
	}
	return values
}

// attempt runs a statement that may fail, behind a savepoint when in a transaction.
func attempt(ctx context.Context, db Querier, sql string, args ...any) error {
	tx, ok := db.(pgx.Tx)
	if !ok {
		_, err := db.Exec(ctx, sql, args...)
		return err
	}
	savepoint, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := savepoint.Exec(ctx, sql, args...); err != nil {
		return errors.Join(err, savepoint.Rollback(ctx))
	}
	return savepoint.Commit(ctx)
}

// explain writes an error with the parts that PostgreSQL reports beside the message.
func explain(err error) string {
	var failed *pgconn.PgError
	if !errors.As(err, &failed) {
		return err.Error()
	}
	var text strings.Builder
	text.WriteString(failed.Code + " " + failed.Message)
	for _, part := range []struct{ name, value string }{
		{"invariant", failed.ConstraintName}, {"detail", failed.Detail}, {"hint", failed.Hint}, {"where", failed.Where},
	} {
		if part.value != "" {
			text.WriteString("\n  " + part.name + ": " + part.value)
		}
	}
	return text.String()
}
