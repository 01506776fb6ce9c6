package pgserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// firstUserID is where Debian begins to number people.
const firstUserID = 1000

// serverUser is whom a local cluster runs as: nil for ourselves, somebody unprivileged when we are root.
func serverUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // no credential is what exec takes for "unchanged"
	}
	for _, name := range []string{"postgres", "nobody"} {
		if found, err := user.Lookup(name); err == nil {
			return credential(found.Uid, found.Gid)
		}
	}
	passwd, err := os.Open("/etc/passwd")
	if err != nil {
		return nil, fmt.Errorf("look for an unprivileged user: %w", err)
	}
	defer passwd.Close()
	return firstUnprivileged(passwd)
}

func firstUnprivileged(passwd io.Reader) (*syscall.Credential, error) {
	lines := bufio.NewScanner(passwd)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ":")
		if len(fields) < 4 {
			continue
		}
		if found, err := credential(fields[2], fields[3]); err == nil && found.Uid >= firstUserID {
			return found, nil
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("look for an unprivileged user: %w", err)
	}
	return nil, errors.New("PostgreSQL does not run as root and this machine has no other user")
}

func credential(uid, gid string) (*syscall.Credential, error) {
	u, err := strconv.ParseUint(uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user id: %w", err)
	}
	g, err := strconv.ParseUint(gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("group id: %w", err)
	}
	return &syscall.Credential{Uid: uint32(u), Gid: uint32(g)}, nil
}

// maxTempDir leaves room for our own name and the socket's in the 107 bytes that a socket path may have.
const maxTempDir = 60

// clusterParent is a directory that is short enough for a socket and that the server's user can reach.
func clusterParent(as *syscall.Credential) string {
	parent := os.TempDir()
	if len(parent) > maxTempDir || (as != nil && !openToAll(parent)) {
		return "/tmp"
	}
	return parent
}

// openToAll tells whether every user may pass through dir.
func openToAll(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}
