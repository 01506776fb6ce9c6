package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/oceanway/outbox/internal/consumers"
)

// drainPatience is how long a dispatcher may take to drain and leave.
const drainPatience = 15 * time.Second

// dispatching keeps a dispatcher running and kills the first one in the middle of its work.
type dispatching struct {
	stage *stage
	cast  *cast
	show  *view
	log   *tail

	mu      sync.Mutex
	current *child
	history []dispatcherRecord
}

// dispatcherRecord is one dispatcher's life for the report.
type dispatcherRecord struct {
	Number int    `json:"number"`
	PID    int    `json:"pid"`
	Ended  string `json:"ended"`
}

func startDispatching(ctx context.Context, s *stage, c *cast, show *view) (*dispatching, error) {
	d := &dispatching{stage: s, cast: c, show: show, log: &tail{pass: show.passthrough()}}
	return d, d.start(ctx)
}

func (d *dispatching) start(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	number := len(d.history) + 1
	file, err := writeTemp(d.configFor(number, d.stage.url(d.stage.producerDatabase(), "dispatcher")))
	if err != nil {
		return err
	}
	started, err := startChild(number, file, d.log)
	if err != nil {
		_ = os.Remove(file)
		return err
	}
	d.current = started
	d.history = append(d.history, dispatcherRecord{Number: number, PID: started.pid(), Ended: "running"})
	d.show.note("dispatcher %d started, process %d", number, started.pid())
	return nil
}

// writeTemp writes a file that its reader removes: it holds a password.
func writeTemp(text string) (string, error) {
	file, err := os.CreateTemp("", "outbox-demo-*.yaml") // only its owner may read it
	if err != nil {
		return "", fmt.Errorf("write the configuration: %w", err)
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name())
		return "", fmt.Errorf("write the configuration: %w", err)
	}
	return file.Name(), nil
}

// configFor is impatient where a real one would be calm: short leases, so that the killed dispatcher's work is soon free.
func (d *dispatching) configFor(number int, url string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "source: urn:oceanway:outbox-demo\nworker: demo-dispatcher-%d\n", number)
	fmt.Fprintf(&b, "database: {url: %q, max_connections: 8, call_timeout: 5s}\n", url)
	b.WriteString("lease: {duration: 6s, renew_every: 1500ms}\nrecovery: {every: 100ms}\ndrain: {calls: 5s, settle: 5s}\n")
	b.WriteString("defaults:\n  concurrency: 8\n  call_timeout: 30s\n")
	b.WriteString("  poll: {floor: 10ms, ceiling: 100ms}\n  backoff: {floor: 100ms, ceiling: 1s}\ndestinations:\n")
	for _, kind := range consumers.Kinds() {
		fmt.Fprintf(&b, "  %s: {url: %q}\n", kind, d.cast.url(kind))
	}
	return b.String()
}

// watch kills the dispatcher when a consumer has committed what it will never be heard to acknowledge, and starts
// another. It fails when a dispatcher ends by itself.
func (d *dispatching) watch(ctx context.Context) error {
	for {
		d.mu.Lock()
		current := d.current
		d.mu.Unlock()
		select {
		case lost := <-d.cast.lost:
			d.show.note("%s has committed %s and not answered yet", lost.Destination, lost.Envelope.EventType)
			current.kill()
			d.ended("SIGKILL")
			d.show.note("dispatcher %d was killed with SIGKILL, its calls are lost", current.number)
			if err := d.start(ctx); err != nil {
				return err
			}
		case <-current.done:
			d.ended("by itself")
			return fmt.Errorf("dispatcher %d ended by itself: %w", current.number, errors.Join(errors.New("unexpected exit"), current.err))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (d *dispatching) ended(how string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.history[len(d.history)-1].Ended = how
}

// stop lets the last dispatcher drain and leave.
func (d *dispatching) stop(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := d.current.terminate(drainPatience); err != nil {
		return err
	}
	d.ended("SIGTERM, drained")
	return nil
}

// abandon makes sure that no dispatcher is left.
func (d *dispatching) abandon() {
	if d.current != nil {
		d.current.kill()
		_ = d.current.stdin.Close()
	}
}

// blame adds the end of the dispatchers' log to an error.
func (d *dispatching) blame(err error) error {
	if log := d.log.String(); log != "" && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; the dispatchers' last words: %s", err, log)
	}
	return err
}
