package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tree is the pair of folders that the command works on.
type tree struct {
	sql        string
	migrations string
}

// content is a set of files by their slash-separated path.
type content map[string][]byte

// apart names what lies in sql/ but belongs to no code package: the migrations, which would otherwise
// be copied into themselves, and the roles, which are a step of their own.
func apart(name string) bool { return name == "migrations" || name == "roles.sql" }

// code reads the working copy of the code package, and makes sure that install.sql installs each of
// its files once.
func (t tree) code() (content, error) {
	all, err := readTree(t.sql)
	if err != nil {
		return nil, fmt.Errorf("read the code package: %w", err)
	}
	files := content{}
	for path, text := range all {
		if top, _, _ := strings.Cut(path, "/"); !apart(top) && strings.HasSuffix(path, ".sql") {
			files[path] = text
		}
	}
	return files, installsEach(files)
}

// installsEach fails unless install.sql names every other file once.
func installsEach(files content) error {
	install, ok := files["install.sql"]
	if !ok {
		return errors.New("the code package has no install.sql")
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		call := fmt.Sprintf(`{{ template "%s" . }}`, path)
		if n := bytes.Count(install, []byte(call)); n != 1 && path != "install.sql" {
			return fmt.Errorf("install.sql installs %s %d times, not once", path, n)
		}
	}
	return nil
}

// wanted gives the files that the unreleased install migration consists of, below migrations.
func (t tree) wanted(number int) (content, error) {
	code, err := t.code()
	if err != nil {
		return nil, err
	}
	files := content{installName(number): installMigration(number)}
	for path, text := range code {
		files[snapshotFolder(number)+"/"+path] = text
	}
	return files, nil
}

// present gives the files that the unreleased install migration consists of now.
func (t tree) present(number int) (content, error) {
	files := content{}
	text, err := os.ReadFile(filepath.Join(t.migrations, installName(number)))
	if err == nil {
		files[installName(number)] = text
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the snapshot: %w", err)
	}
	below, err := readTree(filepath.Join(t.migrations, filepath.FromSlash(snapshotFolder(number))))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the snapshot: %w", err)
	}
	for path, text := range below {
		files[snapshotFolder(number)+"/"+path] = text
	}
	return files, nil
}

// state reads everything that the modes need and refuses a changed release.
func (t tree) state() (number int, wanted, present content, err error) {
	pinned, err := t.pinned()
	if err != nil {
		return 0, nil, nil, err
	}
	if err := t.unchanged(pinned); err != nil {
		return 0, nil, nil, err
	}
	at, err := t.place(pinned)
	if err != nil {
		return 0, nil, nil, err
	}
	if wanted, err = t.wanted(at.wanted); err != nil {
		return 0, nil, nil, err
	}
	if present, err = t.present(at.wanted); err != nil || at.now == 0 || at.now == at.wanted {
		return at.wanted, wanted, present, err
	}
	moved, err := t.present(at.now)
	maps.Copy(present, moved)
	return at.wanted, wanted, present, err
}

// check fails unless the snapshot equals the working copy.
func (t tree) check() error {
	number, wanted, present, err := t.state()
	if err != nil {
		return err
	}
	stale := differing(wanted, present)
	if len(present) == 0 && t.sameAsReleased(number, wanted) {
		return nil
	}
	if len(stale) > 0 {
		return fmt.Errorf("the snapshot differs from the working copy, run `make snapshot`: %s", some(stale))
	}
	return nil
}

// update writes the snapshot.
func (t tree) update(out io.Writer) error {
	number, wanted, present, err := t.state()
	if err != nil {
		return err
	}
	stale := differing(wanted, present)
	if len(stale) == 0 || (len(present) == 0 && t.sameAsReleased(number, wanted)) {
		fmt.Fprintln(out, "the snapshot is up to date")
		return nil
	}
	for _, path := range stale {
		target := filepath.Join(t.migrations, filepath.FromSlash(path))
		text, keep := wanted[path]
		if !keep {
			if err := os.Remove(target); err != nil {
				return fmt.Errorf("remove a file of the snapshot: %w", err)
			}
			fmt.Fprintln(out, "removed", path)
			t.tidy(filepath.Dir(target))
			continue
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("write the snapshot: %w", err)
		}
		if err := os.WriteFile(target, text, 0o644); err != nil {
			return fmt.Errorf("write the snapshot: %w", err)
		}
		fmt.Fprintln(out, "wrote", path)
	}
	return nil
}

// tidy removes folders that became empty.
func (t tree) tidy(folder string) {
	for folder != t.migrations && os.Remove(folder) == nil {
		folder = filepath.Dir(folder)
	}
}

// sameAsReleased tells that the last release installs this very code already, so that a new
// migration would do nothing. number is then the next free one.
func (t tree) sameAsReleased(number int, wanted content) bool {
	for last := number - 1; last > 0; last-- {
		present, err := t.present(last)
		if err != nil || len(present) == 0 {
			continue
		}
		same := content{installName(last): installMigration(last)}
		for path, text := range wanted {
			if rest, ok := strings.CutPrefix(path, snapshotFolder(number)+"/"); ok {
				same[snapshotFolder(last)+"/"+rest] = text
			}
		}
		return len(differing(same, present)) == 0
	}
	return false
}

// differing lists the paths whose content is not the same on both sides.
func differing(a, b content) []string {
	paths := map[string]bool{}
	for path, text := range a {
		if other, ok := b[path]; !ok || !bytes.Equal(text, other) {
			paths[path] = true
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			paths[path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// some names a few of many paths.
func some(paths []string) string {
	const few = 5
	if len(paths) <= few {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:few], ", "), len(paths)-few)
}

// readTree reads every file below a folder.
func readTree(root string) (content, error) {
	files := content{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
		files[path] = text
		return err //nolint:wrapcheck // wrapped below, and it names the file
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", root, err)
	}
	return files, nil
}
