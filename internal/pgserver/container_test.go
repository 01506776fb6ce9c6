package pgserver

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

func exists(t *testing.T, id string) bool {
	t.Helper()
	engine, err := connectEngine(t.Context())
	must(t, err)
	_, err = engine.Client().ContainerInspect(t.Context(), id, client.ContainerInspectOptions{})
	if err != nil && !errdefs.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func TestContainerAcceptsConnectionsAndIsRemoved(t *testing.T) {
	t.Parallel()
	server := startBox(t, Options{NoSync: true, Settings: map[string]string{"work_mem": "7MB"}})
	if got := query(t, server.URL("postgres"), "show server_version_num"); got != strconv.Itoa(server.Version()) {
		t.Errorf("version %d, server says %s", server.Version(), got)
	}
	if got := query(t, server.URL("postgres"), "select current_setting('fsync') || current_setting('work_mem')"); got != "off7MB" {
		t.Errorf("settings are %s", got)
	}
	if !server.Private() || !strings.Contains(server.Describe(), "container of ") {
		t.Errorf("described as %q", server.Describe())
	}
	if err := server.Restart(t.Context(), Fast); !errors.Is(err, ErrUnsupported) {
		t.Errorf("restart: %v", err)
	}
	box, ok := server.backend.(*container)
	if !ok {
		t.Fatal("not a container")
	}
	id := box.ctr.GetContainerID()
	must(t, server.Close(context.Background()))
	eventually(t, "the container is removed", func() bool { return !exists(t, id) })
}

func TestContainerDiesWithItsParent(t *testing.T) {
	t.Parallel()
	startBox(t, Options{NoSync: true}) // skips where it cannot run
	parent, id, dsn := startChild(t, "container")
	query(t, dsn, "select 'alive'")
	must(t, parent.Process.Kill())
	eventually(t, "the container is removed", func() bool { return !exists(t, id) })
}

func TestContainerThatEndsTellsWhy(t *testing.T) {
	t.Parallel()
	found, err := chooseContainer(t.Context(), Options{})
	if err != nil {
		t.Skipf("not on this machine: %v", err)
	}
	_, err = found.start(t.Context(), Options{Settings: map[string]string{"no_such_setting": "1"}})
	if err == nil || !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("error does not tell what the server said: %v", err)
	}
}

func TestUnknownImageIsNeverReplaced(t *testing.T) {
	if _, err := connectEngine(t.Context()); err != nil {
		t.Skipf("not on this machine: %v", err)
	}
	t.Setenv(EnvURL, "")
	t.Setenv(EnvServer, "")
	t.Setenv(EnvImage, "localhost:1/outbox-no-such-image:0")
	_, err := Find(t.Context(), Options{})
	if err == nil || !strings.Contains(err.Error(), "outbox-no-such-image") {
		t.Errorf("error is %v", err)
	}
}
