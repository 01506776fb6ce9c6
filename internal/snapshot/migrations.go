package main

import (
	"fmt"
	"os"

	"github.com/jackc/tern/v2/migrate"
)

const installSuffix = "_install_code.sql"

func installName(number int) string    { return fmt.Sprintf("%03d%s", number, installSuffix) }
func snapshotFolder(number int) string { return fmt.Sprintf("snapshots/%03d", number) }

// installMigration is the text of the migration that installs a snapshot.
func installMigration(number int) []byte {
	return fmt.Appendf(nil, `-- Installs the functions, triggers and grants of snapshots/%03d. Written by make snapshot, not by hand.
-- Locks: share row exclusive on the tables whose triggers are replaced, for a moment.
set local lock_timeout = '5s';

{{ install_snapshot "%03d" }}
`, number, number)
}

// number finds the migration to write: the install migration that is not released, which has to be
// the last one, or the next free number.
func (t tree) number(pinned map[string]string) (int, error) {
	names, err := migrate.FindMigrations(os.DirFS(t.migrations))
	if err != nil {
		return 0, fmt.Errorf("list the migrations: %w", err)
	}
	for i, name := range names {
		number := i + 1
		if _, released := pinned[name]; released || name != installName(number) {
			continue
		}
		if number != len(names) {
			return 0, fmt.Errorf("%s comes after %s: code is installed last, so move the tables before it", names[number], name)
		}
		return number, nil
	}
	return len(names) + 1, nil
}
