package pgserver

import "syscall"

// dieWithParent has the kernel stop the child at once when we die.
func dieWithParent(attr *syscall.SysProcAttr) {
	attr.Pdeathsig = syscall.SIGQUIT
}
