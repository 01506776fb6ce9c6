package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/internal/scenario"
)

// watchInterval is the time between two looks at the database.
const watchInterval = 100 * time.Millisecond

// progress collects what the scenario has done and what the database says about it.
type progress struct {
	mu      sync.Mutex
	now     snapshot
	events  []scenario.Appended
	changed chan struct{}
}

// snapshot is one look at the whole.
type snapshot struct {
	transactions, allTransactions int
	events, allEvents             int
	published                     int
	statuses                      map[string]map[string]int // destination → status → deliveries
}

func newProgress(runs []scenario.Run) *progress {
	p := &progress{changed: make(chan struct{}, 1)}
	for _, run := range runs {
		for _, transaction := range run.Life() {
			p.now.allTransactions++
			p.now.allEvents += len(transaction.Events)
		}
	}
	return p
}

// committed is told about every committed domain transaction.
func (p *progress) committed(_ scenario.Run, _ scenario.Transaction, appended []scenario.Appended) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.transactions++
	p.now.events += len(appended)
	p.events = append(p.events, appended...)
}

// watch looks at the database until the context ends. It fails on a quarantined delivery: the demo has none to expect.
func (p *progress) watch(ctx context.Context, reader *pgxpool.Pool, show *view) error {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		if err := p.look(ctx, reader); err != nil {
			return err
		}
		now := p.snapshot()
		show.update(now)
		for destination, statuses := range now.statuses {
			if n := statuses["quarantined"]; n > 0 {
				return fmt.Errorf("%d deliveries to %s were quarantined", n, destination)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *progress) look(ctx context.Context, reader *pgxpool.Pool) error {
	var published int
	var statuses string
	if err := reader.QueryRow(ctx, sqlProgress).Scan(&published, &statuses); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("read the progress: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.published, p.now.statuses = published, nil
	if err := json.Unmarshal([]byte(statuses), &p.now.statuses); err != nil {
		return fmt.Errorf("read the progress: %w", err)
	}
	select {
	case p.changed <- struct{}{}:
	default: // nobody has seen the last change yet
	}
	return nil
}

func (p *progress) snapshot() snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// allPublished waits until everything that was appended is published. The runs must have ended.
func (p *progress) allPublished(ctx context.Context) error {
	for {
		if now := p.snapshot(); now.published == now.events {
			return nil
		}
		select {
		case <-p.changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *progress) performance() performance {
	p.mu.Lock()
	defer p.mu.Unlock()
	return performance{transactions: p.now.transactions, events: p.events}
}

func (p *progress) String() string {
	now := p.snapshot()
	return fmt.Sprintf("%d of %d transactions committed, %d of %d events published",
		now.transactions, now.allTransactions, now.published, now.events)
}
