package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/oceanway/outbox/contracts"
)

// Options are what a dispatcher is given by the program around it rather than by its configuration.
// The zero value is ready to use.
type Options struct {
	// Logger gets the log; nil discards it.
	Logger *slog.Logger
	// Transport gives the way to a destination; nil means plain HTTP connections of its own.
	Transport func(name string, d Destination) http.RoundTripper
	// Schemas judge the answers; nil loads them.
	Schemas *contracts.Registry
	// At is called at every Point by the goroutine that gets there, with the delivery where there is
	// just one. It is for tests that watch or kill a dispatcher; no configuration can set it.
	At func(Point, *Claimed)
}

// Dispatcher delivers the events of one database. It holds no truth: any number of them may work on
// one database, and killing one at any instruction loses nothing.
type Dispatcher struct {
	config   Config
	store    askStore
	log      *slog.Logger
	weather  *weather
	lanes    []*lane
	leases   []*leases
	settler  *settler
	recovery *recovery
}

// store is everything the dispatcher asks of the database.
type store interface {
	claimStore
	leaseStore
	settleStore
	recoverStore
	askStore
}

// New prepares a dispatcher. The pool's configuration must have been given to [Database.Prepare].
func New(config Config, pool *pgxpool.Pool, options Options) (*Dispatcher, error) {
	if pool == nil {
		return nil, errors.New("dispatcher: no pool")
	}
	return assemble(config, NewStore(pool, config.Database.CallTimeout), options)
}

func assemble(config Config, db store, options Options) (*Dispatcher, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("dispatcher: %w", err)
	}
	log, at, random := options.Logger, options.At, rand.Int64N
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if at == nil {
		at = func(Point, *Claimed) {}
	}
	schemas, err := schemasFor(options)
	if err != nil {
		return nil, err
	}
	weather := newWeather(log, config.Database.Reconnect, random)
	d := &Dispatcher{config: config, store: db, log: log, weather: weather}
	d.settler = &settler{store: db, config: config.Settle, log: log, weather: weather, at: at}
	d.recovery = &recovery{store: db, config: config.Recovery, log: log, weather: weather, random: random, at: at}

	gate := make(chan struct{}, int(config.Database.MaxConnections)-config.Settle.Workers-2)
	backlog := 2 * config.Settle.MaxRows
	for _, name := range slices.Sorted(maps.Keys(config.Destinations)) {
		destination := config.Destinations[name]
		to, err := url.Parse(destination.URL)
		if err != nil {
			return nil, fmt.Errorf("dispatcher: destinations.%s.url: %w", name, err)
		}
		kept := &leases{
			name: name, store: db, length: config.Lease.Duration, every: config.Lease.RenewEvery,
			log: log, weather: weather, at: at, held: map[string]*lease{},
		}
		d.leases = append(d.leases, kept)
		d.lanes = append(d.lanes, &lane{
			name: name, source: config.Source, worker: workerName(config.Worker),
			config: destination, to: to, store: db, gate: gate, leases: kept, settler: d.settler,
			room: newRoom(destination.Delivery, backlog), http: transportFor(options, name, destination), schemas: schemas,
			log: log, weather: weather, random: random, at: at,
		})
	}
	return d, nil
}

func schemasFor(options Options) (*contracts.Registry, error) {
	if options.Schemas != nil {
		return options.Schemas, nil
	}
	schemas, err := contracts.Load()
	if err != nil {
		return nil, fmt.Errorf("dispatcher: %w", err)
	}
	return schemas, nil
}

func transportFor(options Options, name string, d Destination) http.RoundTripper {
	if options.Transport != nil {
		return options.Transport(name, d)
	}
	return newTransport(d)
}

// hostNameLength leaves room for the process id in what the database takes for a worker's name.
const hostNameLength = 100

// workerName gives a name to tell this process by.
func workerName(configured string) string {
	if configured != "" {
		return configured
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d", sanitise(host, hostNameLength), os.Getpid())
}

// Run delivers until the context ends and then drains: it stops claiming, gives the calls in flight
// the drain time to finish, gives back what was not sent, and lets the outcomes reach the database.
// Whatever the database does, Run goes on until the context ends. Only at the start, before the first
// claim, may the database refuse the configuration: a destination that is not registered, or a value
// beyond the bounds of its functions. Run then returns a *[ConfigError].
func (d *Dispatcher) Run(ctx context.Context) error {
	err := d.accepted(ctx)
	if ctx.Err() != nil {
		return nil // stopped before it began
	}
	if err != nil {
		return err
	}
	lasting := context.WithoutCancel(ctx)
	calls, endCalls := context.WithCancelCause(lasting)
	defer endCalls(nil)
	settles, endSettles := context.WithCancel(lasting)
	defer endSettles()
	renewals, endRenewals := context.WithCancel(lasting)
	defer endRenewals()

	d.settler.queue, d.settler.turn = make(chan *pending, d.capacity()), make(chan struct{}, 1)
	var loops errgroup.Group // no loop fails: what goes wrong is tried again
	loops.Go(func() error {
		defer close(d.settler.queue)
		return d.runLanes(ctx, calls)
	})
	loops.Go(func() error {
		defer endRenewals()
		d.settler.run(settles)
		return nil
	})
	for _, l := range d.leases {
		loops.Go(func() error { l.run(renewals); return nil })
	}
	loops.Go(func() error { d.recovery.run(ctx); return nil })
	d.log.InfoContext(ctx, "dispatching", "worker", d.lanes[0].worker, "destinations", len(d.lanes))

	<-ctx.Done()
	d.log.InfoContext(ctx, "draining", "calls", d.config.Drain.Calls, "settle", d.config.Drain.Settle)
	defer time.AfterFunc(d.config.Drain.Calls, func() { endCalls(errDrained) }).Stop()
	defer time.AfterFunc(d.config.Drain.Calls+d.config.Drain.Settle, endSettles).Stop()
	err = loops.Wait()
	d.log.InfoContext(ctx, "stopped")
	return err
}

// runLanes runs the loops of all destinations until they have stopped and their calls are over.
func (d *Dispatcher) runLanes(ctx, calls context.Context) error {
	var lanes errgroup.Group
	for _, l := range d.lanes {
		lanes.Go(func() error {
			l.run(ctx, calls)
			return nil
		})
	}
	defer d.closeConnections()
	return lanes.Wait()
}

// capacity is the number of outcomes that can be under way at once, so that handing one over never
// blocks.
func (d *Dispatcher) capacity() int {
	sum := 0
	for _, l := range d.lanes {
		sum += l.room.maxHeld
	}
	return sum
}

// closeConnections lets go of the connections that the lanes keep alive.
func (d *Dispatcher) closeConnections() {
	for _, l := range d.lanes {
		if closer, ok := l.http.(interface{ CloseIdleConnections() }); ok {
			closer.CloseIdleConnections()
		}
	}
}
