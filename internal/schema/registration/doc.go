// Package registration writes the SQL of a migration that registers schemas in contracts.schemas.
//
// A row has the schema's document in canonical form, and two columns that follow from it: resolved, the
// document with every reference replaced by what it names, and quick_check, the compiled predicate of
// package quickcheck. The release's own migration and `outbox contracts compile` are both written here.
package registration
