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
		return chooseContainer(ctx, opts)
	case "local":
		return chooseLocal(ctx)
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

// noServer is the sentence for a machine that has nothing, with what is in the way where it is more than absence.
func noServer(reasons ...error) error {
	var because strings.Builder
	for _, reason := range reasons {
		if !errors.Is(reason, errNoEngine) && !errors.Is(reason, errNoBinaries) {
			fmt.Fprintf(&because, "; %v", reason)
		}
	}
	return fmt.Errorf("%w: install PostgreSQL 15 or newer (on Debian: apt-get install postgresql), start Docker, "+
		"or set %s%s", ErrNoServer, EnvURL, because.String())
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
