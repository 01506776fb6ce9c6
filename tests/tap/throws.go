package tap

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// ownClass begins every SQLSTATE of the product.
const ownClass = "OX"

// LivesOK asserts that a statement succeeds.
func LivesOK(t testing.TB, db Querier, sql string, args ...any) {
	t.Helper()
	if err := attempt(t.Context(), db, sql, args...); err != nil {
		t.Errorf("should live but died: %s\n  in: %s", explain(err), sql)
	}
}

// Throws asserts that a statement is refused with a SQLSTATE and, unless it is empty, a named invariant: the constraint
// that the report names. A refusal of the product must also tell where (DETAIL) and what to do (HINT). It returns the
// report, or nil.
func Throws(t testing.TB, db Querier, sqlstate, invariant, sql string, args ...any) *pgconn.PgError {
	t.Helper()
	return Raised(t, attempt(t.Context(), db, sql, args...), sqlstate, invariant)
}

// ThrowsLike is Throws, and asserts that the report's DETAIL matches a pattern of SQL's LIKE.
func ThrowsLike(t testing.TB, db Querier, sqlstate, invariant, detail, sql string, args ...any) *pgconn.PgError {
	t.Helper()
	report := Throws(t, db, sqlstate, invariant, sql, args...)
	if report != nil && !like(report.Detail, detail) {
		t.Errorf("%s %s\n  detail: %s\n  is not like: %s", sqlstate, invariant, report.Detail, detail)
	}
	return report
}

// Raised asserts the same of an error that a test already holds, for instance that of a COMMIT.
func Raised(t testing.TB, err error, sqlstate, invariant string) *pgconn.PgError {
	t.Helper()
	if err == nil {
		t.Errorf("was not refused, want %s %s", sqlstate, invariant)
		return nil
	}
	var report *pgconn.PgError
	if !errors.As(err, &report) {
		t.Errorf("failed otherwise than by the database, want %s %s: %v", sqlstate, invariant, err)
		return nil
	}
	if report.Code != sqlstate || (invariant != "" && report.ConstraintName != invariant) {
		t.Errorf("want %s %s, got %s", sqlstate, invariant, explain(err))
		return nil
	}
	if strings.HasPrefix(sqlstate, ownClass) {
		for name, part := range map[string]string{"invariant": report.ConstraintName, "detail": report.Detail, "hint": report.Hint} {
			if part == "" {
				t.Errorf("the refusal has no %s: %s", name, explain(err))
			}
		}
	}
	return report
}

// like is SQL's LIKE.
func like(text, pattern string) bool {
	expression := regexp.QuoteMeta(pattern)
	expression = strings.NewReplacer("%", "(?s:.*)", "_", "(?s:.)").Replace(expression)
	return regexp.MustCompile("^" + expression + "$").MatchString(text)
}
