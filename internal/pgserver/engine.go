package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
)

const (
	// defaultImage is PostgreSQL as its maintainers ship it.
	defaultImage = "postgres:17"
	// builtImage is what `make image` builds where nothing can be pulled.
	builtImage = "outbox-postgres:17"
)

// The unremarkable cases: there is no Docker here, or it has no image and no way to get one.
var (
	errNoEngine = errors.New("no Docker engine answers")
	errNoImage  = errors.New("is not here and cannot be pulled: `make image` builds one from Debian packages")
)

// chooseContainer finds a Docker engine and an image on it.
func chooseContainer(ctx context.Context, opts Options) (choice, error) {
	engine, err := connectEngine(ctx)
	if err != nil {
		return choice{}, err
	}
	image, err := chooseImage(ctx, engine, opts)
	if err != nil {
		return choice{}, errors.Join(err, engine.Close())
	}
	return choice{
		name: "a container of " + image,
		start: func(ctx context.Context, opts Options) (backend, error) {
			return startContainer(ctx, engine, image, opts)
		},
	}, nil
}

// silenceLibrary keeps testcontainers from logging, once because its logger is a variable without a lock.
var silenceLibrary = sync.OnceFunc(func() { log.SetDefault(log.NewNoopLogger()) }) //nolint:gochecknoglobals // see above

// connectEngine reaches the engine that testcontainers would use. Its reaper, a second image to pull, is switched off:
// our containers remove themselves.
func connectEngine(ctx context.Context) (*testcontainers.DockerProvider, error) {
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return nil, fmt.Errorf("switch the reaper off: %w", err)
	}
	silenceLibrary()
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	type answer struct {
		engine *testcontainers.DockerProvider
		err    error
	}
	answers := make(chan answer, 1)
	go func() { // the library takes no context here, and an engine across a network may never answer
		engine, err := testcontainers.NewDockerProvider()
		answers <- answer{engine, err}
	}()
	select {
	case got := <-answers:
		if got.err != nil {
			return nil, errNoEngine
		}
		if _, err := got.engine.Client().Ping(ctx, client.PingOptions{}); err != nil {
			return nil, errNoEngine
		}
		return got.engine, nil
	case <-ctx.Done():
		return nil, errNoEngine
	}
}

// chooseImage returns an image that is present, pulling it if it must.
func chooseImage(ctx context.Context, engine *testcontainers.DockerProvider, opts Options) (string, error) {
	wanted, asked := os.LookupEnv(EnvImage)
	candidates := []string{wanted}
	if !asked || wanted == "" {
		wanted = defaultImage
		candidates = []string{defaultImage, builtImage}
	}
	for _, image := range candidates {
		_, err := engine.Client().ImageInspect(ctx, image)
		if err == nil {
			return image, nil
		}
		if !errdefs.IsNotFound(err) {
			return "", fmt.Errorf("look for image %s: %w", image, err)
		}
	}
	opts.progress("pulling image " + wanted)
	if err := pull(ctx, engine.Client(), wanted); err != nil {
		return "", fmt.Errorf("image %s %w (%w)", wanted, errNoImage, err)
	}
	return wanted, nil
}

// pull tries once: a machine without a registry should learn so at once.
func pull(ctx context.Context, docker client.APIClient, image string) error {
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	var options client.ImagePullOptions
	if _, auth, err := testcontainers.DockerImageAuth(ctx, image); err == nil {
		if options.RegistryAuth, err = authconfig.Encode(auth); err != nil {
			return fmt.Errorf("encode the registry credentials: %w", err)
		}
	}
	progress, err := docker.ImagePull(ctx, image, options)
	if err != nil {
		return fmt.Errorf("pull: %w", err)
	}
	if err := progress.Wait(ctx); err != nil {
		return fmt.Errorf("pull: %w", err)
	}
	return nil
}
