package dispatcher

import "time"

// Config is everything a dispatcher can be told. DefaultConfig gives a safe value to all of it but
// the source, the database and the destinations.
type Config struct {
	// Source is the producer in CloudEvents' terms (ce-source), a URI reference.
	Source string `yaml:"source"`
	// Worker names this process in the database's lease_owner. Empty: host name and process id.
	// The name is for people: two dispatchers of one name do not disturb each other.
	Worker   string   `yaml:"worker"`
	Database Database `yaml:"database"`
	Log      Log      `yaml:"log"`
	Lease    Lease    `yaml:"lease"`
	Recovery Recovery `yaml:"recovery"`
	Settle   Settle   `yaml:"settle"`
	Drain    Drain    `yaml:"drain"`
	// Defaults holds for every destination that does not say otherwise.
	Defaults     Delivery               `yaml:"defaults"`
	Destinations map[string]Destination `yaml:"destinations"`

	origin *origin // nil: not from a file
}

// Database says where the outbox is and how patient the dispatcher is with it.
type Database struct {
	URL string `yaml:"url"`
	// MaxConnections bounds the pool.
	MaxConnections int32 `yaml:"max_connections"`
	// CallTimeout bounds one function call with its transaction.
	CallTimeout time.Duration `yaml:"call_timeout"`
	// Reconnect bounds the pause after a call that the database could not answer.
	Reconnect Range `yaml:"reconnect"`
}

// Log says how the log is written.
type Log struct {
	Format string `yaml:"format"` // text or json
	Level  string `yaml:"level"`  // debug, info, warn or error
}

// Lease says how long a claim holds without news from this dispatcher.
type Lease struct {
	Duration time.Duration `yaml:"duration"`
	// RenewEvery is the pause between renewals of the calls in flight; 0 turns renewal off.
	RenewEvery time.Duration `yaml:"renew_every"`
}

// Recovery says how expired leases, of whichever dispatcher and destination, become claimable again.
type Recovery struct {
	Every time.Duration `yaml:"every"`
	Limit int           `yaml:"limit"`
	Delay time.Duration `yaml:"delay"`
}

// Settle says how outcomes are batched on their way to the database.
type Settle struct {
	MaxRows  int           `yaml:"max_rows"`
	MaxBytes int64         `yaml:"max_bytes"`
	Linger   time.Duration `yaml:"linger"`
	Workers  int           `yaml:"workers"`
}

// Drain says how long a stopping dispatcher waits.
type Drain struct {
	// Calls is the time that calls in flight get to finish.
	Calls time.Duration `yaml:"calls"`
	// Settle is the time that outcomes then get to reach the database.
	Settle time.Duration `yaml:"settle"`
}

// Destination is one consumer's address and its limits.
type Destination struct {
	URL      string `yaml:"url"`
	Delivery `yaml:",inline"`
}

// Delivery is what one destination is treated to.
type Delivery struct {
	// Concurrency bounds the calls in flight.
	Concurrency int `yaml:"concurrency"`
	// CallTimeout is one wall-clock deadline over connecting, headers and body.
	CallTimeout time.Duration `yaml:"call_timeout"`
	// MaxResponseBytes bounds what is read of an answer.
	MaxResponseBytes int64 `yaml:"max_response_bytes"`
	Claim            Claim `yaml:"claim"`
	// Poll bounds the pause between claims that found nothing or little.
	Poll Range `yaml:"poll"`
	// Backoff bounds the delay after a failed attempt: it doubles from floor to ceiling.
	Backoff Range `yaml:"backoff"`
	// RetryAfter bounds the delay that a consumer may ask for.
	RetryAfter Range `yaml:"retry_after"`
}

// Claim says how much is claimed at once.
type Claim struct {
	MaxRows  int   `yaml:"max_rows"`
	MaxBytes int64 `yaml:"max_bytes"`
	// Linger is how long a claim waits for more room once there is some.
	Linger time.Duration `yaml:"linger"`
	// ScanEvery is the period of the claims that ignore the position hint.
	ScanEvery time.Duration `yaml:"scan_every"`
}

// Range is a pair of durations, the floor not above the ceiling.
type Range struct {
	Floor   time.Duration `yaml:"floor"`
	Ceiling time.Duration `yaml:"ceiling"`
}

// DefaultConfig is a Config in which every limit has its safe default.
func DefaultConfig() Config {
	return Config{
		Database: Database{
			MaxConnections: 8,
			CallTimeout:    10 * time.Second,
			Reconnect:      Range{Floor: 100 * time.Millisecond, Ceiling: 5 * time.Second},
		},
		Log:      Log{Format: "text", Level: "info"},
		Lease:    Lease{Duration: 30 * time.Second, RenewEvery: 10 * time.Second},
		Recovery: Recovery{Every: 2 * time.Second, Limit: 500},
		Settle:   Settle{MaxRows: 200, MaxBytes: 4 << 20, Linger: 3 * time.Millisecond, Workers: 2},
		Drain:    Drain{Calls: 20 * time.Second, Settle: 5 * time.Second},
		Defaults: DefaultDelivery(),
	}
}

// DefaultDelivery is a Delivery in which every limit has its safe default.
func DefaultDelivery() Delivery {
	return Delivery{
		Concurrency:      16,
		CallTimeout:      15 * time.Second,
		MaxResponseBytes: 256 << 10,
		Claim: Claim{
			MaxRows:   100,
			MaxBytes:  8 << 20,
			Linger:    3 * time.Millisecond,
			ScanEvery: 100 * time.Millisecond,
		},
		Poll:       Range{Floor: 20 * time.Millisecond, Ceiling: time.Second},
		Backoff:    Range{Floor: time.Second, Ceiling: 15 * time.Minute},
		RetryAfter: Range{Floor: 100 * time.Millisecond, Ceiling: time.Hour},
	}
}
