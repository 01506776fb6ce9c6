package pgserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// cluster is a private PostgreSQL made of this machine's binaries.
type cluster struct {
	bin      binaries
	opts     Options
	as       *syscall.Credential
	dir      string // data, socket and log, all of it ours to remove
	password string
	port     int // loopback port, 0 without TCP
	server   *process
	sweeper  *sweeper
}

// startCluster makes a cluster and starts it; on failure nothing stays behind.
func startCluster(ctx context.Context, bin binaries, opts Options) (backend, error) {
	if err := clearEnvironment(); err != nil {
		return nil, err
	}
	as, err := serverUser()
	if err != nil {
		return nil, err
	}
	c := &cluster{bin: bin, opts: opts, as: as, password: rand.Text()}
	if c.dir, err = os.MkdirTemp(clusterParent(as), "outbox-pg-"); err != nil {
		return nil, fmt.Errorf("make a directory for the cluster: %w", err)
	}
	if err := c.create(ctx); err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		return nil, errors.Join(err, c.close(closing))
	}
	return c, nil
}

func (c *cluster) create(ctx context.Context) error {
	if !c.opts.Detached {
		var err error
		if c.sweeper, err = startSweeper(c.dir); err != nil {
			return err
		}
	}
	if err := c.initdb(ctx); err != nil {
		return err
	}
	if c.opts.TCP {
		port, err := freePort(ctx)
		if err != nil {
			return err
		}
		c.port = port
	}
	return c.run(ctx)
}

func (c *cluster) initdb(ctx context.Context) error {
	pwfile := filepath.Join(c.dir, "password")
	if err := os.WriteFile(pwfile, []byte(c.password+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the password: %w", err)
	}
	if c.as != nil {
		for _, path := range []string{c.dir, pwfile} {
			if err := os.Chown(path, int(c.as.Uid), int(c.as.Gid)); err != nil {
				return fmt.Errorf("hand the cluster to its user: %w", err)
			}
		}
	}
	args := []string{
		"--pgdata=" + c.data(), "--username=" + adminUser, "--pwfile=" + pwfile, "--encoding=UTF8", "--locale=C",
		"--auth-local=trust", "--auth-host=scram-sha-256", "--no-instructions", "--no-sync",
	}
	if err := c.command(ctx, "initdb", args...); err != nil {
		return err
	}
	if err := os.Remove(pwfile); err != nil {
		return fmt.Errorf("remove the password file: %w", err)
	}
	return nil
}

// command runs one of the binaries to its end and reports what it said when it failed.
func (c *cluster) command(ctx context.Context, name string, args ...string) error {
	var said strings.Builder
	cmd := c.exec(name, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	child, err := spawn(cmd, c.as, c.opts.Detached)
	if err != nil {
		return err
	}
	if err := child.wait(ctx); err != nil {
		if !child.ended() {
			return errors.Join(err, child.end(context.WithoutCancel(ctx), os.Kill))
		}
		return fmt.Errorf("%s: %w: %s", name, err, lastLines(said.String()))
	}
	return nil
}

// run starts the postmaster and waits until it accepts connections.
func (c *cluster) run(ctx context.Context) error {
	if c.server != nil && !c.server.ended() {
		return errors.New("the server runs already")
	}
	log, err := os.OpenFile(c.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the server's log: %w", err)
	}
	defer log.Close()
	cmd := c.exec("postgres", c.args()...)
	cmd.Stdout, cmd.Stderr = log, log
	if c.server, err = spawn(cmd, c.as, c.opts.Detached); err != nil {
		return err
	}
	_, err = awaitReady(ctx, []address{c.address()}, func(context.Context) error {
		if !c.server.ended() {
			return nil
		}
		said, err := os.ReadFile(c.log())
		if err != nil {
			return fmt.Errorf("read the server's log: %w", err)
		}
		return fmt.Errorf("postgres ended: %w: %s", c.server.err, lastLines(string(said)))
	})
	return err
}

func (c *cluster) args() []string {
	settings := c.opts.settings()
	settings["listen_addresses"], settings["port"] = "", fmt.Sprint(socketPort)
	if c.port != 0 {
		settings["listen_addresses"], settings["port"] = "127.0.0.1", fmt.Sprint(c.port)
	}
	settings["unix_socket_directories"] = c.dir
	args := []string{"-D", c.data()}
	for name, value := range settings {
		args = append(args, "-c", name+"="+value)
	}
	return args
}

// exec prepares a binary with an environment in which no PG* variable and no time zone of ours changes the cluster.
func (c *cluster) exec(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(c.bin.path(name), args...) //nolint:noctx // stopped by signal, in order
	cmd.Dir = c.dir
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=" + c.bin.dir + ":/usr/bin:/bin"}
	return cmd
}

func (c *cluster) data() string { return filepath.Join(c.dir, "data") }
func (c *cluster) log() string  { return filepath.Join(c.dir, "log") }

func (c *cluster) address() address {
	addr := address{private: true, database: "postgres", socket: c.dir, port: socketPort, password: c.password}
	if c.port != 0 {
		addr.socket = ""
		addr.host = fmt.Sprintf("127.0.0.1:%d", c.port)
	}
	return addr
}

func (c *cluster) describe() string {
	text := "private cluster of " + c.bin.dir
	if c.opts.Detached && c.server != nil {
		text += fmt.Sprintf(" in %s (end it: kill -QUIT %d; sleep 1; rm -rf %s)", c.dir, c.server.cmd.Process.Pid, c.dir)
	}
	return text
}

// stop shuts the postmaster down and keeps the data.
func (c *cluster) stop(ctx context.Context, mode StopMode) error {
	if c.server == nil || c.server.ended() {
		return nil
	}
	signal := syscall.SIGINT
	if mode == Immediate {
		signal = syscall.SIGQUIT
	}
	return c.server.end(ctx, signal)
}

// close throws the cluster away, so nothing needs to be written out first.
func (c *cluster) close(ctx context.Context) error {
	if err := c.stop(ctx, Immediate); err != nil {
		return err
	}
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("remove the cluster: %w", err)
	}
	sweeper := c.sweeper
	c.sweeper = nil
	return sweeper.dismiss(ctx)
}

func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("find a free port: unexpected address %s", listener.Addr())
	}
	return address.Port, nil
}

// lastLines is the end of a program's output on one line.
func lastLines(output string) string {
	const keep = 4
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.Join(lines[max(0, len(lines)-keep):], " | ")
}
