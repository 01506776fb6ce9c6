package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
)

// debianDirs is where Debian's packages put the binaries of each major version.
const debianDirs = "/usr/lib/postgresql/*/bin"

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (([0-9]+)[^ \n]*)`)

// errNoBinaries is the unremarkable case: PostgreSQL is not installed.
var errNoBinaries = errors.New("no PostgreSQL binaries in " + debianDirs + " or PATH")

// binaries is an installed PostgreSQL server.
type binaries struct {
	dir     string
	version string
	major   int
}

func (b binaries) path(name string) string {
	return filepath.Join(b.dir, name)
}

// findBinaries returns the newest supported PostgreSQL of this machine: Debian's directories first, then PATH.
func findBinaries(ctx context.Context) (binaries, error) {
	if dir := os.Getenv(EnvBinDir); dir != "" {
		bin, err := inspect(ctx, dir)
		if err == nil && bin.major < MinVersion/10000 {
			err = tooOld(bin)
		}
		if err != nil {
			return binaries{}, fmt.Errorf("%s: %w", EnvBinDir, err)
		}
		return bin, nil
	}
	dirs, err := filepath.Glob(debianDirs)
	if err != nil {
		return binaries{}, fmt.Errorf("look for binaries: %w", err)
	}
	found := inspectAll(ctx, dirs)
	if postgres, err := exec.LookPath("postgres"); err == nil {
		found = append(found, inspectAll(ctx, []string{filepath.Dir(postgres)})...)
	}
	return newest(found)
}

// inspectAll returns the usable directories among dirs, the newest version first.
func inspectAll(ctx context.Context, dirs []string) []binaries {
	var found []binaries
	for _, dir := range dirs {
		if bin, err := inspect(ctx, dir); err == nil {
			found = append(found, bin)
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].major > found[j].major })
	return found
}

func newest(found []binaries) (binaries, error) {
	if len(found) == 0 {
		return binaries{}, errNoBinaries
	}
	for _, bin := range found {
		if bin.major >= MinVersion/10000 {
			return bin, nil
		}
	}
	return binaries{}, tooOld(found[0])
}

func tooOld(bin binaries) error {
	return fmt.Errorf("%s holds PostgreSQL %s: 15 is the oldest supported", bin.dir, bin.version)
}

// inspect asks the binaries of a directory for their version.
func inspect(ctx context.Context, dir string) (binaries, error) {
	bin := binaries{dir: dir}
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(bin.path(name)); err != nil {
			return binaries{}, fmt.Errorf("%s holds no %s", dir, name)
		}
	}
	out, err := exec.CommandContext(ctx, bin.path("postgres"), "--version").Output()
	if err != nil {
		return binaries{}, fmt.Errorf("ask %s for its version: %w", dir, err)
	}
	match := versionPattern.FindSubmatch(out)
	if match == nil {
		return binaries{}, fmt.Errorf("%s does not tell its version", dir)
	}
	bin.version = string(match[1])
	bin.major, err = strconv.Atoi(string(match[2]))
	if err != nil {
		return binaries{}, fmt.Errorf("read the version in %s: %w", dir, err)
	}
	return bin, nil
}
