package pgserver

import (
	"errors"
	"maps"
	"time"
)

// MinVersion is the oldest server_version_num that the product supports.
const MinVersion = 150000

// Environment variables that choose the server.
const (
	EnvServer = "OUTBOX_TEST_SERVER"
	EnvURL    = "OUTBOX_TEST_DATABASE_URL"
	EnvImage  = "OUTBOX_TEST_IMAGE"
	EnvBinDir = "OUTBOX_TEST_PGBIN"
)

// adminUser is the superuser of every private server.
const adminUser = "postgres"

// socketPort is in the name of the socket of a local cluster, in a directory of its own.
const socketPort = 5432

// Bounds of everything that waits for somebody else.
const (
	engineTimeout = 10 * time.Second
	pullTimeout   = 5 * time.Minute
	startTimeout  = 90 * time.Second
	stopTimeout   = 20 * time.Second
	pollInterval  = 20 * time.Millisecond
	dialTimeout   = 2 * time.Second
)

var (
	// ErrUnsupported reports an operation that only a private local cluster offers.
	ErrUnsupported = errors.New("only a private local cluster can be stopped and restarted")
	// ErrNoServer reports that this machine offers no PostgreSQL to run on.
	ErrNoServer = errors.New("no PostgreSQL to run on")
)

// Options describe the wanted server. The zero value is a durable one that ends with this process.
type Options struct {
	// NoSync turns fsync off: much faster, and only an operating system crash can tell the difference.
	NoSync bool
	// TCP makes a local cluster listen on a free loopback port too, and URL name it.
	TCP bool
	// Detached lets the server outlive this process unless Close is called.
	Detached bool
	// Settings are further server settings of a private server.
	Settings map[string]string
	// Progress, when set, is told about steps that take a while.
	Progress func(message string)
}

func (o Options) progress(message string) {
	if o.Progress != nil {
		o.Progress(message)
	}
}

// settings are the server settings that private servers of every kind share.
func (o Options) settings() map[string]string {
	all := map[string]string{
		"max_connections":           "200",
		"max_prepared_transactions": "20",
	}
	if o.NoSync {
		all["fsync"] = "off"
		all["full_page_writes"] = "off"
	}
	maps.Copy(all, o.Settings)
	return all
}

// StopMode is how a local cluster is shut down.
type StopMode int

const (
	// Fast ends all sessions, writes a checkpoint and stops.
	Fast StopMode = iota
	// Immediate stops as a crash would: the next start recovers from the write-ahead log.
	Immediate
)
