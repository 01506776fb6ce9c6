package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/oceanway/outbox/contracts"
	"github.com/oceanway/outbox/internal/consumers"
	"github.com/oceanway/outbox/internal/scenario"
)

// cast is the four consumers, served on one loopback port under a path each.
type cast struct {
	address   string
	server    *http.Server
	tracker   *consumers.Tracker
	billing   *consumers.Billing
	receivers map[consumers.Kind]*consumers.Receiver
	failed    chan consumers.Delivery // a consumer has failed at this delivery, on purpose
	lost      chan consumers.Delivery // a consumer has committed this delivery and will not answer it
}

func openCast(ctx context.Context, s *stage, schemas *contracts.Registry, runs []scenario.Run) (*cast, error) {
	c := &cast{
		tracker: consumers.NewTracker(), billing: consumers.NewBilling(),
		receivers: map[consumers.Kind]*consumers.Receiver{},
		failed:    make(chan consumers.Delivery, plannedFailures), lost: make(chan consumers.Delivery, 1),
	}
	faults := plannedFaults(runs, func(d consumers.Delivery) { c.failed <- d }, func(d consumers.Delivery) { c.lost <- d })
	mux := http.NewServeMux()
	projector, err := consumers.NewProjector(s.inbox, consumers.ProjectorOptions{Faults: faults, Observe: c.tracker.Observe, Schemas: schemas})
	if err != nil {
		return nil, err
	}
	mux.Handle("/"+string(consumers.KindOperations), projector)
	for _, kind := range consumers.Kinds() {
		if kind == consumers.KindOperations {
			continue
		}
		receiver, err := consumers.NewReceiver(kind, consumers.ReceiverOptions{
			Billing: c.billing, Faults: faults, Observe: c.tracker.Observe, Schemas: schemas,
		})
		if err != nil {
			return nil, err
		}
		c.receivers[kind] = receiver
		mux.Handle("/"+string(kind), receiver)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	c.address = listener.Addr().String()
	c.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := c.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err) // the demo has lost its consumers
		}
	}()
	return c, nil
}

func (c *cast) url(kind consumers.Kind) string {
	return "http://" + c.address + "/" + string(kind)
}

func (c *cast) close() {
	_ = c.server.Close() // calls that hang end with it
}
