package pgserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"

	"github.com/moby/moby/api/pkg/stdcopy"
	containerapi "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

const (
	serverPort  = "5432/tcp"
	sharedBytes = 256 << 20
	memoryDir   = "/outbox-data"
)

// guardScript runs the image's own entry point and ends the container when standard input ends, which is when the
// attached client, this process, is gone. Nothing needs to be written out: the data goes with the container.
const guardScript = `trap 'exit 0' INT TERM
exec 3<&0
docker-entrypoint.sh "$@" </dev/null 3<&- &
server=$!
{ read -r _ <&3; kill -TERM $$; } &
wait "$server"`

// container is a PostgreSQL in a container of its own.
type container struct {
	engine *testcontainers.DockerProvider
	image  string
	opts   Options
	ctr    testcontainers.Container
	attach *client.ContainerAttachResult
	output tail
	addr   address
}

// startContainer creates and starts a container; on failure nothing stays behind.
func startContainer(ctx context.Context, engine *testcontainers.DockerProvider, image string, opts Options) (backend, error) {
	if err := clearEnvironment(); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	c := &container{engine: engine, image: image, opts: opts}
	c.addr = address{private: true, database: "postgres", password: rand.Text()}
	if err := c.run(ctx); err != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		return nil, errors.Join(err, c.close(closing))
	}
	return c, nil
}

func (c *container) run(ctx context.Context) error {
	request, err := c.request()
	if err != nil {
		return err
	}
	c.ctr, err = c.engine.CreateContainer(ctx, request)
	if err != nil {
		return fmt.Errorf("create the container: %w", err)
	}
	if err := c.attachTo(ctx); err != nil {
		return err
	}
	if err := c.ctr.Start(ctx); err != nil {
		return fmt.Errorf("start the container: %w", err)
	}
	at, err := c.locate(ctx)
	if err != nil {
		return err
	}
	c.addr, err = awaitReady(ctx, at, func(ctx context.Context) error {
		state, err := c.ctr.State(ctx)
		if err == nil && state.Running {
			return nil
		}
		return fmt.Errorf("the container ended: %s", lastLines(c.output.String()))
	})
	return err
}

func (c *container) request() (testcontainers.ContainerRequest, error) {
	port, err := network.ParsePort(serverPort)
	if err != nil {
		return testcontainers.ContainerRequest{}, fmt.Errorf("port: %w", err)
	}
	command := []string{"postgres"}
	for name, value := range c.opts.settings() {
		command = append(command, "-c", name+"="+value)
	}
	request := testcontainers.ContainerRequest{
		Image:        c.image,
		Env:          map[string]string{"POSTGRES_USER": adminUser, "POSTGRES_PASSWORD": c.addr.password},
		ExposedPorts: []string{serverPort},
		Cmd:          command,
		Labels:       map[string]string{"outbox.pgserver": "true"},
	}
	request.HostConfigModifier = func(config *containerapi.HostConfig) {
		config.AutoRemove = !c.opts.Detached
		config.ShmSize = sharedBytes
		if c.near() {
			loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
			config.PortBindings = network.PortMap{port: {{HostIP: loopback}}}
		}
	}
	if c.opts.NoSync { // no disk at all, because copying a template through a layered file system takes seconds
		request.Env["PGDATA"] = memoryDir
		request.Tmpfs = map[string]string{memoryDir: "rw"}
	}
	if !c.opts.Detached {
		request.Entrypoint = []string{"/bin/sh", "-c", guardScript, "sh"}
		request.ConfigModifier = func(config *containerapi.Config) {
			config.OpenStdin, config.StdinOnce, config.AttachStdin = true, true, true
		}
	}
	return request, nil
}

// attachTo holds the container's standard input, and listens to what it says for the sake of error messages.
func (c *container) attachTo(ctx context.Context) error {
	options := client.ContainerAttachOptions{Stream: true, Stdin: !c.opts.Detached, Stdout: true, Stderr: true}
	attached, err := c.engine.Client().ContainerAttach(context.WithoutCancel(ctx), c.ctr.GetContainerID(), options)
	if err != nil {
		return fmt.Errorf("attach to the container: %w", err)
	}
	c.attach = &attached
	go func() {
		_, _ = stdcopy.StdCopy(&c.output, &c.output, attached.Reader) // ends with the container
	}()
	return nil
}

// near tells whether the engine is reached by a socket, so that its containers are on this machine or next to us.
func (c *container) near() bool {
	return strings.HasPrefix(c.engine.Client().DaemonHost(), "unix:")
}

// locate finds out where the server may be reached. The port of a near container is published on the loopback only,
// where we find it unless we are in a container ourselves: then we reach it by the network that we share.
func (c *container) locate(ctx context.Context) ([]address, error) {
	port, err := c.ctr.MappedPort(ctx, serverPort)
	if err != nil {
		return nil, fmt.Errorf("locate the container's port: %w: %s", err, lastLines(c.output.String()))
	}
	published := fmt.Sprint(port.Num())
	if c.near() {
		ip, err := c.ctr.ContainerIP(ctx)
		if err != nil {
			return nil, fmt.Errorf("locate the container: %w", err)
		}
		return []address{c.at("127.0.0.1", published), c.at(ip, "5432")}, nil
	}
	host, err := c.ctr.Host(ctx)
	if err != nil {
		return nil, fmt.Errorf("locate the container: %w", err)
	}
	return []address{c.at(host, published)}, nil
}

func (c *container) at(host, port string) address {
	at := c.addr
	at.host = net.JoinHostPort(host, port)
	return at
}

func (c *container) address() address { return c.addr }

func (c *container) describe() string {
	text := "container of " + c.image
	if c.opts.Detached && c.ctr != nil {
		text += " (end it: docker rm -f -v " + c.ctr.GetContainerID()[:12] + ")"
	}
	return text
}

func (c *container) close(ctx context.Context) error {
	var errs []error
	if c.ctr != nil {
		stop := testcontainers.StopContext(ctx)
		errs = append(errs, testcontainers.TerminateContainer(c.ctr, stop, testcontainers.StopTimeout(stopTimeout)))
		c.ctr = nil
	}
	if c.attach != nil {
		c.attach.Close()
		c.attach = nil
	}
	return errors.Join(append(errs, c.engine.Close())...)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 4096

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(text), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
