package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

// pinFile lists the released files with their digests, relative to the migrations folder.
const pinFile = "released.sha256"

// pinned reads the digests of the released files. Before the first release there are none.
func (t tree) pinned() (map[string]string, error) {
	pins := map[string]string{}
	text, err := os.ReadFile(filepath.Join(t.migrations, pinFile))
	if errors.Is(err, fs.ErrNotExist) {
		return pins, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the released files: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		sum, path, ok := strings.Cut(lines.Text(), "  ")
		if !ok || len(sum) != hex.EncodedLen(sha256.Size) || pins[path] != "" {
			return nil, fmt.Errorf("%s: a line is not `digest  path`, or its path comes twice", pinFile)
		}
		pins[path] = sum
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the released files: %w", err)
	}
	return pins, nil
}

// unchanged fails when a released file is not what it was, or when something was added to a
// released snapshot.
func (t tree) unchanged(pinned map[string]string) error {
	if len(pinned) == 0 {
		return nil
	}
	files, err := t.sums()
	if err != nil {
		return err
	}
	var changed []string
	for path, sum := range pinned {
		if files[path] != sum {
			changed = append(changed, path)
		}
	}
	folders := map[string]bool{}
	for path := range pinned {
		if folder, ok := snapshotOf(path); ok {
			folders[folder] = true
		}
	}
	for path := range files {
		if folder, ok := snapshotOf(path); ok && folders[folder] && pinned[path] == "" {
			changed = append(changed, path)
		}
	}
	if len(changed) > 0 {
		slices.Sort(changed)
		return fmt.Errorf("released migrations never change: %s", strings.Join(changed, ", "))
	}
	return nil
}

// release pins every file that is not pinned yet.
func (t tree) release(out io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	pinned, err := t.pinned()
	if err != nil {
		return err
	}
	files, err := t.sums()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(t.migrations, pinFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("pin the release: %w", err)
	}
	defer file.Close()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if pinned[path] != "" {
			continue
		}
		if _, err := fmt.Fprintf(file, "%s  %s\n", files[path], path); err != nil {
			return fmt.Errorf("pin the release: %w", err)
		}
		fmt.Fprintln(out, "pinned", path)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("pin the release: %w", err)
	}
	return nil
}

// sums digests the SQL files of the migrations folder.
func (t tree) sums() (map[string]string, error) {
	files, err := readTree(t.migrations)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	sums := map[string]string{}
	for path, text := range files {
		if strings.HasSuffix(path, ".sql") {
			sum := sha256.Sum256(text)
			sums[path] = hex.EncodeToString(sum[:])
		}
	}
	return sums, nil
}

// snapshotOf gives the folder of the snapshot that a path lies in.
func snapshotOf(path string) (folder string, ok bool) {
	parts := strings.SplitN(path, "/", 3)
	if len(parts) < 3 || parts[0] != "snapshots" {
		return "", false
	}
	return parts[0] + "/" + parts[1], true
}
