package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/internal/scenario"
)

// parallelRuns is how many runs live at once.
const parallelRuns = 8

// plannedFailures is how often one consumer fails at one event of the first run.
const plannedFailures = 2

// runDemo is the whole demo: stage, cast, play, audit. Whatever happens, nothing it started outlives it.
func runDemo(ctx context.Context, o options, show *view) (r result, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()

	show.note("looking for a PostgreSQL server")
	s, err := openStage(ctx, show.note)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.close(context.WithoutCancel(ctx))) }()
	show.note("%s", s.server.Describe())
	show.note("two databases are installed, delivery set %s is active", s.release.DeliverySetVersion)

	schemas, err := contracts.Load()
	if err != nil {
		return r, err
	}
	runs, err := newRuns(schemas, o)
	if err != nil {
		return r, err
	}
	c, err := openCast(ctx, s, schemas, runs)
	if err != nil {
		return r, err
	}
	defer c.close()
	show.note("four consumers listen on %s", c.address)

	d, err := startDispatching(ctx, s, c, show)
	defer d.abandon()
	if err != nil {
		return r, err
	}

	p, err := play(ctx, s, c, d, runs, show)
	if err != nil {
		return r, d.blame(err)
	}
	if err := d.stop(ctx); err != nil {
		return r, d.blame(err)
	}
	show.note("everything is published; the dispatcher has drained and left")

	r, err = audit(ctx, s, c, d, p)
	r.Server, r.Runs, r.Seed, r.Milliseconds = s.server.Describe(), o.runs, o.seed, time.Since(began).Milliseconds()
	return r, err
}

// newRuns are the runs that the options ask for.
func newRuns(schemas *contracts.Registry, o options) ([]scenario.Run, error) {
	runs := make([]scenario.Run, o.runs)
	for i := range runs {
		var err error
		if runs[i], err = scenario.NewRun(schemas, o.seed, i+1); err != nil {
			return nil, fmt.Errorf("run %d: %w", i+1, err)
		}
	}
	return runs, nil
}

// performance is what the scenario did, as the scenario tells it.
type performance struct {
	transactions int
	events       []scenario.Appended
}

// play lets the runs live, several at a time, and returns when all their events are published.
func play(ctx context.Context, s *stage, c *cast, d *dispatching, runs []scenario.Run, show *view) (performance, error) {
	playing, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	progress := newProgress(runs)
	watching, watched := errgroup.WithContext(playing)
	watching.Go(func() error { return progress.watch(watched, s.reader, show) })
	watching.Go(func() error { return d.watch(watched) })

	lives, living := errgroup.WithContext(watched)
	lives.SetLimit(parallelRuns)
	for _, run := range runs {
		lives.Go(func() error {
			_, err := scenario.Play(living, s.producer, run, scenario.Options{
				Await: c.tracker.Wait, Billing: c.billing, Observe: progress.committed,
			})
			return err
		})
	}
	err := lives.Wait()
	if err == nil {
		err = progress.allPublished(watched)
	}
	stopWatching()
	// When a watch failed, what the runs report is only its consequence.
	if cause := watching.Wait(); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("not everything was published in time: %s", progress)
	}
	return progress.performance(), err
}

// plannedFaults are the two things that go wrong on purpose: one consumer fails twice at one event, and another commits
// an event of the run in the middle and never answers. Both are told when that happens.
func plannedFaults(runs []scenario.Run, failed, lost func(consumers.Delivery)) *consumers.Faults {
	faults := &consumers.Faults{}
	faults.Add(consumers.Rule{
		Destination: consumers.KindMetering, EventType: "execution.attempt-eligibility.finalized@1",
		CorrelationID: runs[0].CorrelationID, Action: consumers.FailBefore, Times: plannedFailures, OnHit: failed,
	})
	faults.Add(consumers.Rule{
		Destination: consumers.KindCoordinator, EventType: "execution.run-finalization.closed@1",
		CorrelationID: runs[len(runs)/2].CorrelationID, Action: consumers.HangAfter, Times: 1, OnHit: lost,
	})
	return faults
}
