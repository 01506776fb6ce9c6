package tap

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Row is one row of an expected result: strings, booleans, integers, []byte, time.Time, nil, and any other value as pgx
// would give it. Integers of all widths and exact numerics compare by value; a UUID is its text.
type Row []any

// Rows are the rows of an expected result.
type Rows []Row

// Ok asserts a condition that needs no database.
func Ok(t testing.TB, condition bool, name string) {
	t.Helper()
	if !condition {
		t.Errorf("not ok: %s", name)
	}
}

// Is asserts that two values are the same.
func Is[T comparable](t testing.TB, got, want T, name string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n  have: %v\n  want: %v", name, got, want)
	}
}

// Isnt asserts that two values differ.
func Isnt[T comparable](t testing.TB, got, unwanted T, name string) {
	t.Helper()
	if got == unwanted {
		t.Errorf("%s\n  have: %v, and nothing else would be right", name, got)
	}
}

// ResultsEq asserts the rows of a query in their order.
func ResultsEq(t testing.TB, db Querier, want Rows, sql string, args ...any) {
	t.Helper()
	compare(t, fetch(t, db, sql, args...), renderAll(want), sql)
}

// RowEq asserts that a query returns exactly this row.
func RowEq(t testing.TB, db Querier, want Row, sql string, args ...any) {
	t.Helper()
	ResultsEq(t, db, Rows{want}, sql, args...)
}

// BagEq asserts the rows of a query in any order, duplicates counted.
func BagEq(t testing.TB, db Querier, want Rows, sql string, args ...any) {
	t.Helper()
	have, wanted := fetch(t, db, sql, args...), renderAll(want)
	slices.Sort(have)
	slices.Sort(wanted)
	compare(t, have, wanted, sql)
}

// SetEq asserts the distinct rows of a query in any order.
func SetEq(t testing.TB, db Querier, want Rows, sql string, args ...any) {
	t.Helper()
	have, wanted := fetch(t, db, sql, args...), renderAll(want)
	slices.Sort(have)
	slices.Sort(wanted)
	compare(t, slices.Compact(have), slices.Compact(wanted), sql)
}

// IsEmpty asserts that a query returns no row.
func IsEmpty(t testing.TB, db Querier, sql string, args ...any) {
	t.Helper()
	if have := fetch(t, db, sql, args...); len(have) > 0 {
		t.Errorf("should be empty\n  have: %s\n  in: %s", strings.Join(have, "\n        "), sql)
	}
}

// IsntEmpty asserts that a query returns a row.
func IsntEmpty(t testing.TB, db Querier, sql string, args ...any) {
	t.Helper()
	if len(fetch(t, db, sql, args...)) == 0 {
		t.Errorf("should not be empty\n  in: %s", sql)
	}
}

// fetch returns the rows of a query, each rendered as one line.
func fetch(t testing.TB, db Querier, sql string, args ...any) []string {
	t.Helper()
	rows, err := db.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatalf("%s\n  in: %s", explain(err), sql)
	}
	lines, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		return render(values), err
	})
	if err != nil {
		t.Fatalf("%s\n  in: %s", explain(err), sql)
	}
	return lines
}

func renderAll(rows Rows) []string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = render(row)
	}
	return lines
}

// compare reports the difference of two lists of rows, marking what is missing and what is extra.
func compare(t testing.TB, have, want []string, sql string) {
	t.Helper()
	if slices.Equal(have, want) {
		return
	}
	var report strings.Builder
	for _, line := range subtract(want, have) {
		report.WriteString("\n  missing: " + line)
	}
	for _, line := range subtract(have, want) {
		report.WriteString("\n  extra:   " + line)
	}
	if report.Len() == 0 {
		report.WriteString("\n  have, in this order: " + strings.Join(have, " ") + "\n  want: " + strings.Join(want, " "))
	}
	t.Errorf("results differ%s\n  in: %s", report.String(), sql)
}

// subtract is the bag difference of two lists.
func subtract(from, what []string) []string {
	left := slices.Clone(from)
	for _, line := range what {
		if i := slices.Index(left, line); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return left
}
