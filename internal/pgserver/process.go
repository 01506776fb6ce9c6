package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a child that is waited for.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // valid once done is closed
}

// spawn starts cmd in a process group of its own, so that a Ctrl-C meant for us does not reach it.
func spawn(cmd *exec.Cmd, as *syscall.Credential, detached bool) (*process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: as}
	if !detached {
		dieWithParent(cmd.SysProcAttr)
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel sends the parent-death signal when the thread that forked ends, so this thread lives as long.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// wait returns how the child ended.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ended tells whether the child is gone.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// end signals the child and waits for it; one that does not listen in time is killed.
func (p *process) end(ctx context.Context, signal os.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal the server: %w", err)
	}
	bounded, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	select {
	case <-p.done:
		return nil
	case <-bounded.Done():
	}
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill the server: %w", err)
	}
	<-p.done
	return nil
}

// sweeper removes a cluster's directory when this process is gone without having done so.
type sweeper struct {
	release io.WriteCloser
	child   *process
}

// sweepScript waits for a line, which means that nothing is left to do, or for the end of its input: then it stops the
// postmaster, if the parent-death signal did not, and removes the directory once it is gone.
const sweepScript = `read -r _ && exit 0
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
[ -z "$pid" ] || kill -QUIT "$pid" 2>/dev/null
n=0
while [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && [ $n -lt 200 ]; do sleep 0.1; n=$((n + 1)); done
rm -rf "$1"`

func startSweeper(dir string) (*sweeper, error) {
	cmd := exec.Command("/bin/sh", "-c", sweepScript, "sh", dir) //nolint:noctx // it outlives us by design
	cmd.Dir = "/"
	stdin, release, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe: %w", err)
	}
	defer stdin.Close()
	cmd.Stdin = stdin
	child, err := spawn(cmd, nil, true)
	if err != nil {
		return nil, errors.Join(err, release.Close())
	}
	return &sweeper{release: release, child: child}, nil
}

// dismiss ends the sweeper without a sweep.
func (s *sweeper) dismiss(ctx context.Context) error {
	if s == nil {
		return nil
	}
	if _, err := io.WriteString(s.release, "done\n"); err != nil {
		return fmt.Errorf("dismiss the sweeper: %w", err)
	}
	if err := s.release.Close(); err != nil {
		return fmt.Errorf("dismiss the sweeper: %w", err)
	}
	return s.child.wait(ctx)
}
