// Package outboxsql carries the database part of the product inside the binary: the migrations, the
// code package (functions, triggers, grants) that a migration installs, and the roles.
//
// The same files serve the stock tern binary and psql, so nothing here is generated at run time.
package outboxsql

import (
	"embed"
	"io/fs"
)

// FS holds every SQL file under its path below sql/.
//
//go:embed roles.sql install.sql grants.sql errors.sql retired.sql functions triggers views migrations
var FS embed.FS

//go:embed roles.sql
var roles string

//go:embed install.sql grants.sql errors.sql retired.sql functions triggers views
var code embed.FS

// Migrations is the tern migrations folder: numbered files and the snapshots they install.
func Migrations() fs.FS {
	sub, err := fs.Sub(FS, "migrations")
	if err != nil {
		panic(err) // the name is a constant and valid
	}
	return sub
}

// Code is the working copy of the tern code package, with install.sql at its root. The migrations
// are no part of it: tern would take their snapshots for code.
func Code() fs.FS { return code }

// Roles is the text of roles.sql: plain SQL that may be run again, by a superuser or by a role with
// CREATEROLE, once for each cluster and once more for each further database.
func Roles() string { return roles }
