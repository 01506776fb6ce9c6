// Command schemagen writes what follows from contracts/schemas and contracts/namespaces.json:
//
//   - the goldens: the digest inside of each golden document and delivery set definition, its
//     canonical candidate and its digest beside it, and the identifiers of goldens/derive.json;
//   - the migration NNN_contract_schemas.sql, which registers schemas and namespaces;
//   - contracts/wire, a Go struct for every object and the function that knows it by its schema, and the
//     types of contracts/typescript/src.
//
// It runs from the root of the repository, or is told where that is:
//
//	go run ./internal/schemagen [ROOT]
//
// A schema or namespace that a released migration registers (sql/migrations/released.sha256) never
// changes. New ones go into the one migration that is not released, whose number is the next free one;
// where the unreleased install migration has that number, the next `make snapshot` moves it up.
//
// Nothing is written before everything is in order, the golden documents by their schemas too. What is
// left to do by hand, a snapshot to move or goldens to write, goes to standard error and is no failure.
//
// What the goldens hold is worked out here and not by package contracts, so that the tests of that
// package compare two ways to the same bytes.
package main
