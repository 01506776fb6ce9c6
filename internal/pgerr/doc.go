// Package pgerr turns what PostgreSQL and its driver report into errors that the rest of the
// program can tell apart with errors.Is and errors.As.
//
// The database refuses by SQLSTATE and by the name of the invariant (the constraint name of the
// report); this package is the one place that knows which is which. Translate gives an *Error that
// carries both, together with DETAIL and HINT, and that matches
//
//   - one sentinel for each code of the outbox's own class OX, such as ErrStaleFence, and
//   - one sentinel for each kind of weather around them: ErrUnavailable, ErrReadOnly,
//     ErrSerialization, ErrPermission, ErrMissingObject, ErrTimeout.
//
// An error that PostgreSQL did not report and that is no loss of the connection comes back
// unchanged. Translate repeats no rule of the database: it only names what was said.
package pgerr
