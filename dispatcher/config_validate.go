package dispatcher

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"time"
)

// Bounds that the database's functions set on their arguments.
const (
	maxClaimRows     = 1000
	maxRecoverRows   = 1000
	minLease         = time.Second
	maxLease         = time.Hour
	maxDelay         = 720 * time.Hour
	maxConcurrency   = 1000
	maxSettleRows    = 1000
	maxResponseLimit = 16 << 20
	maxWorkerName    = 200
)

// A destination's name becomes part of webhook-id, which holds no dot.
var destinationName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// check is one rule: when broken is true, the configuration is refused at path for reason.
type check struct {
	broken bool
	path   string
	reason string
}

// Validate refuses, as a *ConfigError, the first value or pair of values that cannot work.
func (c Config) Validate() error {
	checks := slices.Concat(c.general(), c.loops(), c.database())
	for _, name := range slices.Sorted(maps.Keys(c.Destinations)) {
		path := "destinations." + name
		d := c.Destinations[name]
		checks = append(checks, check{!destinationName.MatchString(name), path,
			"a destination's name is 1 to 128 letters, digits, _ or -"})
		checks = append(checks, address(path+".url", d.URL))
		checks = append(checks, d.checks(path)...)
		checks = append(checks, check{c.Lease.RenewEvery == 0 && d.CallTimeout >= c.Lease.Duration, path + ".call_timeout",
			fmt.Sprintf("%v is not below lease.duration %v, and renewal is off", d.CallTimeout, c.Lease.Duration)})
	}
	for _, rule := range checks {
		if rule.broken {
			return &ConfigError{Path: rule.path, Reason: rule.reason}
		}
	}
	return nil
}

func (c Config) general() []check {
	source, err := url.Parse(c.Source)
	return []check{
		{c.Source == "", "source", "is required: who produces these events, as a URI reference"},
		{err != nil, "source", "is not a URI reference"},
		{err == nil && source.User != nil, "source", "holds a user name or password"},
		{!printable(c.Worker, maxWorkerName), "worker", "is at most 200 printable ASCII characters"},
		{c.Log.Format != "text" && c.Log.Format != "json", "log.format", "is text or json"},
		{!slices.Contains([]string{"debug", "info", "warn", "error"}, c.Log.Level), "log.level",
			"is debug, info, warn or error"},
		{len(c.Destinations) == 0, "destinations", "at least one destination is required"},
	}
}

func (c Config) database() []check {
	needs := int32(c.Settle.Workers) + 3
	return append([]check{
		{c.Database.URL == "", "database.url", "is required"},
		{c.Settle.Workers < 1 || c.Settle.Workers > 64, "settle.workers", "is 1 to 64"},
		{c.Database.MaxConnections < needs, "database.max_connections",
			fmt.Sprintf("%d is below %d: one for each of settle.workers, and for renewal, recovery and claims",
				c.Database.MaxConnections, needs)},
		{c.Database.CallTimeout < 100*time.Millisecond, "database.call_timeout", "is at least 100ms"},
		{c.Database.CallTimeout >= c.Lease.Duration, "database.call_timeout",
			fmt.Sprintf("%v is not below lease.duration %v: a renewal could never be confirmed in time",
				c.Database.CallTimeout, c.Lease.Duration)},
	}, c.Database.Reconnect.checks("database.reconnect", 10*time.Millisecond)...)
}

func (c Config) loops() []check {
	return []check{
		{c.Lease.Duration < minLease || c.Lease.Duration > maxLease, "lease.duration", "is 1s to 1h"},
		{c.Lease.RenewEvery < 0, "lease.renew_every", "is not negative; 0 turns renewal off"},
		{c.Lease.RenewEvery > c.Lease.Duration/2, "lease.renew_every",
			fmt.Sprintf("%v is above half of lease.duration %v", c.Lease.RenewEvery, c.Lease.Duration)},
		{c.Recovery.Every < 10*time.Millisecond, "recovery.every", "is at least 10ms"},
		{c.Recovery.Limit < 1 || c.Recovery.Limit > maxRecoverRows, "recovery.limit", "is 1 to 1000"},
		{c.Recovery.Delay < 0 || c.Recovery.Delay > maxLease, "recovery.delay", "is 0s to 1h"},
		{c.Settle.MaxRows < 1 || c.Settle.MaxRows > maxSettleRows, "settle.max_rows", "is 1 to 1000"},
		{c.Settle.MaxBytes < 1<<10 || c.Settle.MaxBytes > 256<<20, "settle.max_bytes", "is 1024 to 268435456"},
		{c.Settle.Linger < 0 || c.Settle.Linger > time.Second, "settle.linger", "is 0s to 1s"},
		{c.Drain.Calls < 0 || c.Drain.Calls > maxLease, "drain.calls", "is 0s to 1h"},
		{c.Drain.Settle < 0 || c.Drain.Settle > maxLease, "drain.settle", "is 0s to 1h"},
	}
}

func (d Delivery) checks(path string) []check {
	return slices.Concat([]check{
		{d.Concurrency < 1 || d.Concurrency > maxConcurrency, path + ".concurrency", "is 1 to 1000"},
		{d.CallTimeout < time.Millisecond || d.CallTimeout > maxLease, path + ".call_timeout", "is 1ms to 1h"},
		{d.MaxResponseBytes < 1<<10 || d.MaxResponseBytes > maxResponseLimit, path + ".max_response_bytes",
			"is 1024 to 16777216"},
		{d.Claim.MaxRows < 1 || d.Claim.MaxRows > maxClaimRows, path + ".claim.max_rows", "is 1 to 1000"},
		{d.Claim.MaxBytes < 1 || d.Claim.MaxBytes > 1<<30, path + ".claim.max_bytes", "is 1 to 1073741824"},
		{d.Claim.Linger < 0 || d.Claim.Linger > time.Second, path + ".claim.linger", "is 0s to 1s"},
		{d.Claim.ScanEvery < time.Millisecond, path + ".claim.scan_every", "is at least 1ms"},
	},
		d.Poll.checks(path+".poll", time.Millisecond),
		d.Backoff.checks(path+".backoff", time.Millisecond),
		d.RetryAfter.checks(path+".retry_after", 0))
}

func (r Range) checks(path string, least time.Duration) []check {
	return []check{
		{r.Floor < least, path + ".floor", fmt.Sprintf("is at least %v", least)},
		{r.Floor > r.Ceiling, path, fmt.Sprintf("floor %v is above ceiling %v", r.Floor, r.Ceiling)},
		{r.Ceiling < time.Millisecond || r.Ceiling > maxDelay, path + ".ceiling", "is 1ms to 720h"},
	}
}

// address refuses a URL that cannot be posted to, without quoting it.
func address(path, raw string) check {
	u, err := url.Parse(raw)
	switch {
	case raw == "":
		return check{true, path, "is required"}
	case err != nil:
		return check{true, path, "is not a URL"}
	case u.Scheme != "http" && u.Scheme != "https":
		return check{true, path, "the scheme is http or https"}
	case u.Hostname() == "":
		return check{true, path, "has no host"}
	case u.User != nil:
		return check{true, path, "holds a user name or password"}
	case u.Fragment != "":
		return check{true, path, "holds a fragment"}
	}
	return check{path: path}
}

func printable(s string, limit int) bool {
	for _, r := range s {
		if r < ' ' || r > '~' {
			return false
		}
	}
	return len(s) <= limit
}
