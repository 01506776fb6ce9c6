package main

import (
	"fmt"
	"io/fs"
	"os"
	"slices"

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

// place is where the install migration is, and where it has to be.
type place struct {
	now    int // 0: there is none that is not released
	wanted int
}

// place finds the install migration that is not released. It has to be the last one: where another
// migration took its number it moves up, and where one went away it moves down.
func (t tree) place(pinned map[string]string) (place, error) {
	entries, err := os.ReadDir(t.migrations)
	if err != nil {
		return place{}, fmt.Errorf("list the migrations: %w", err)
	}
	var found place
	for _, entry := range entries {
		var number int
		_, released := pinned[entry.Name()]
		_, err := fmt.Sscanf(entry.Name(), "%d_", &number)
		switch {
		case err != nil || released:
		case entry.Name() == installName(number) && found.now == 0:
			found.now = number
		case found.now != 0 && number > found.now:
			return place{}, fmt.Errorf("%s comes after %s: code is installed last, so move the tables before it", entry.Name(), installName(found.now))
		}
	}
	others, err := migrate.FindMigrations(without{os.DirFS(t.migrations), installName(found.now)})
	if err != nil {
		return place{}, fmt.Errorf("list the migrations: %w", err)
	}
	found.wanted = len(others) + 1
	return found, nil
}

// without is a folder that seems not to have one of its files.
type without struct {
	fs.FS

	file string
}

// ReadDir lists the folder, like fs.ReadDirFS.
func (w without) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(entries, func(entry fs.DirEntry) bool { return entry.Name() == w.file }), err
}
