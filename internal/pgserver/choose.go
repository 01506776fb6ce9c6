package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// choice is a server that can be started.
type choice struct {
	name  string
	start func(ctx context.Context, opts Options) (backend, error)
}

// choose applies the order of the package comment.
func choose(ctx context.Context, opts Options) (choice, error) {
	given := os.Getenv(EnvURL)
	switch forced := os.Getenv(EnvServer); forced {
	case "":
		if given != "" {
			return chooseRemote(given), nil
		}
		return choosePrivate(ctx, opts)
	case "url":
		if given == "" {
			return choice{}, fmt.Errorf("%s=url needs a connection string in %s", EnvServer, EnvURL)
		}
		return chooseRemote(given), nil
	case "container":
		found, err := chooseContainer(ctx, opts)
		return found, explain(err, "start Docker or unset "+EnvServer)
	case "local":
		found, err := chooseLocal(ctx)
		return found, explain(err, "install PostgreSQL 15 or newer (on Debian: apt-get install postgresql)")
	default:
		return choice{}, fmt.Errorf("%s=%q is none of url, container and local", EnvServer, forced)
	}
}

func chooseRemote(dsn string) choice {
	return choice{
		name:  "the server of " + EnvURL,
		start: func(ctx context.Context, _ Options) (backend, error) { return startRemote(ctx, dsn) },
	}
}

// choosePrivate prefers a container and falls back to this machine's binaries. An image that somebody asked for by name
// is never replaced by something else.
func choosePrivate(ctx context.Context, opts Options) (choice, error) {
	found, containerErr := chooseContainer(ctx, opts)
	if containerErr == nil || os.Getenv(EnvImage) != "" {
		return found, containerErr
	}
	found, err := chooseLocal(ctx)
	if err == nil || os.Getenv(EnvBinDir) != "" {
		return found, err
	}
	return choice{}, noServer(containerErr, err)
}

// explain adds a remedy to a bare absence.
func explain(err error, remedy string) error {
	if errors.Is(err, errNoEngine) || errors.Is(err, errNoBinaries) {
		return fmt.Errorf("%w: %s", err, remedy)
	}
	return err
}

// noServer is the sentence for a machine that has nothing to run on.
func noServer(containerErr, localErr error) error {
	docker := "start Docker"
	var because strings.Builder
	switch {
	case errors.Is(containerErr, errNoImage):
		docker = "run `make image` for the Docker engine that is here"
	case !errors.Is(containerErr, errNoEngine):
		fmt.Fprintf(&because, "; %v", containerErr)
	}
	if !errors.Is(localErr, errNoBinaries) {
		fmt.Fprintf(&because, "; %v", localErr)
	}
	return fmt.Errorf("%w: install PostgreSQL 15 or newer (on Debian: apt-get install postgresql), %s, or set %s%s",
		ErrNoServer, docker, EnvURL, because.String())
}

func chooseLocal(ctx context.Context) (choice, error) {
	bin, err := findBinaries(ctx)
	if err != nil {
		return choice{}, err
	}
	return choice{
		name:  fmt.Sprintf("PostgreSQL %s from %s", bin.version, bin.dir),
		start: func(ctx context.Context, opts Options) (backend, error) { return startCluster(ctx, bin, opts) },
	}, nil
}
