package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/oceanway/outbox/internal/schema/registration"
)

const installSuffix = "_install_code.sql"

// migrations is the folder sql/migrations as it is.
type migrations struct {
	folder   string
	names    map[int][]string // the files by their number
	pinned   map[string]bool  // released files
	released string           // the text of the released migrations of schemas
}

func readMigrations(folder string) (*migrations, error) {
	state := &migrations{folder: folder, names: map[int][]string{}, pinned: map[string]bool{}}
	pins, err := os.ReadFile(filepath.Join(folder, "released.sha256"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the released files: %w", err)
	}
	for line := range strings.Lines(string(pins)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			state.pinned[name] = true
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	for _, entry := range entries {
		name := entry.Name()
		found := regexp.MustCompile(`^([0-9]+)_.+[.]sql$`).FindStringSubmatch(name)
		if found == nil {
			continue
		}
		number, err := strconv.Atoi(found[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		state.names[number] = append(state.names[number], name)
		if state.pinned[name] && strings.HasSuffix(name, schemasSuffix) {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return nil, fmt.Errorf("read a released migration: %w", err)
			}
			state.released += string(text)
		}
	}
	return state, nil
}

// unreleased finds the migration of a kind that is not released, if there is one.
func (m *migrations) unreleased(suffix string) string {
	for _, names := range m.names {
		for _, name := range names {
			if strings.HasSuffix(name, suffix) && !m.pinned[name] {
				return name
			}
		}
	}
	return ""
}

// number is where the new rows go: into the migration that is not released yet, or into a new one that
// takes the first free number. The unreleased install migration is no obstacle, it moves up.
func (m *migrations) number() (int, error) {
	if name := m.unreleased(schemasSuffix); name != "" {
		digits, _, _ := strings.Cut(name, "_")
		number, err := strconv.Atoi(digits)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		return number, nil
	}
	install := m.unreleased(installSuffix)
	for number := 1; ; number++ {
		names := m.names[number]
		if len(names) == 0 || len(names) == 1 && names[0] == install && len(m.names[number+1]) == 0 {
			return number, nil
		}
	}
}

// schemaRow and namespaceRow find the rows of a migration that this command wrote.
func schemaRow() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\('([A-Za-z0-9]+@[0-9]+)',\n.*\n`)
}

func namespaceRow() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\('([a-z0-9_]+)', '.*'\)`)
}

func (m *migrations) releasedRows() map[string]string {
	rows := map[string]string{}
	for _, found := range schemaRow().FindAllStringSubmatch(m.released, -1) {
		rows[found[1]] = found[0]
	}
	for _, found := range namespaceRow().FindAllStringSubmatch(m.released, -1) {
		rows["namespace "+found[1]] = found[0]
	}
	return rows
}

func (m *migrations) isReleased(r registration.Row) bool {
	_, released := m.releasedRows()[r.What]
	return released
}

// refuseChanges fails when a released row is gone or would be another one.
func (m *migrations) refuseChanges(rows []registration.Row) error {
	present := map[string]string{}
	for _, r := range rows {
		present[r.What] = r.Identity
	}
	for what, identity := range m.releasedRows() {
		switch now, ok := present[what]; {
		case !ok:
			return fmt.Errorf("%s is released and cannot be removed", what)
		case now != identity:
			return fmt.Errorf("%s is released and cannot change: give the new one a new version", what)
		}
	}
	return nil
}
