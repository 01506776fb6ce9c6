package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is one dispatcher process.
type child struct {
	number  int
	command *exec.Cmd
	stdin   io.Closer
	log     *tail
	done    chan struct{} // closed when the process has ended
	err     error         // its exit, valid after done
}

// startChild starts this binary again as a dispatcher. It gets a process group of its own, so that Ctrl-C on the
// terminal reaches the demo alone, which then ends the dispatcher in good order.
func startChild(number int, config string, log *tail) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this binary: %w", err)
	}
	// The demo's own context must not end it: a dispatcher is to drain, or to be killed, on purpose.
	c := &child{number: number, log: log, done: make(chan struct{})}
	c.command = exec.CommandContext(context.Background(), self, dispatchCommand, "-config", config)
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.command.Stderr = log
	if c.stdin, err = c.command.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start dispatcher %d: %w", number, err)
	}
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("start dispatcher %d: %w", number, err)
	}
	go func() {
		c.err = c.command.Wait()
		_ = os.Remove(config) // it may have ended before it could do so itself
		close(c.done)
	}()
	return c, nil
}

func (c *child) pid() int { return c.command.Process.Pid }

// kill ends the process as a crash would and waits until it is gone.
func (c *child) kill() {
	_ = c.command.Process.Kill() // already gone is as good
	<-c.done
}

// terminate asks the process to drain, waits, and wants it to leave with status 0.
func (c *child) terminate(patience time.Duration) error {
	if err := c.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop dispatcher %d: %w", c.number, err)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
		c.kill()
		return fmt.Errorf("dispatcher %d did not drain within %s", c.number, patience)
	}
	if c.err != nil {
		return fmt.Errorf("dispatcher %d: %w", c.number, c.err)
	}
	return nil
}

// tail keeps the last lines of a log and, when asked to, passes everything on.
type tail struct {
	mu    sync.Mutex
	lines []string
	rest  []byte
	pass  io.Writer // nil: nothing is passed on
}

const tailLines = 3

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rest = append(t.rest, p...)
	for {
		line, rest, found := bytes.Cut(t.rest, []byte("\n"))
		if !found {
			break
		}
		t.lines = append(t.lines, string(line))
		if t.pass != nil {
			fmt.Fprintln(t.pass, string(line))
		}
		t.rest = rest
	}
	t.lines = t.lines[max(0, len(t.lines)-tailLines):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
