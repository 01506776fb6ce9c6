//go:build unix && !linux

package pgserver

import "syscall"

// dieWithParent leaves the matter to the sweeper: only Linux has a parent-death signal.
func dieWithParent(*syscall.SysProcAttr) {}
