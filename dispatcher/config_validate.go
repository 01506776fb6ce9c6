package dispatcher

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"time"
)

// What this process can work with. The destinations and the bounds of its functions' arguments the
// database knows alone: a dispatcher asks it when it starts.
const (
	maxWait          = time.Hour // of one call, and of a stop
	maxConcurrency   = 1000      // outcomes and answers in memory
	maxSettleRows    = 1000
	maxResponseLimit = 16 << 20
)

// A destination's name becomes a part of webhook-id, which holds no dot.
var destinationName = regexp.MustCompile(`^[!-\-/-~]+$`)

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
			"a destination's name is printable ASCII without a dot"})
		checks = append(checks, address(path+".url", d.URL))
		checks = append(checks, d.checks(path)...)
		checks = append(checks, check{c.Lease.RenewEvery == 0 && d.CallTimeout >= c.Lease.Duration, path + ".call_timeout",
			fmt.Sprintf("%v is not below lease.duration %v, and renewal is off", d.CallTimeout, c.Lease.Duration)})
	}
	for _, rule := range checks {
		if rule.broken {
			return c.blame(rule.path, rule.reason, nil)
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
		{c.Lease.RenewEvery < 0, "lease.renew_every", "is not negative; 0 turns renewal off"},
		{c.Lease.RenewEvery > c.Lease.Duration/2, "lease.renew_every",
			fmt.Sprintf("%v is above half of lease.duration %v", c.Lease.RenewEvery, c.Lease.Duration)},
		{c.Recovery.Every < 10*time.Millisecond, "recovery.every", "is at least 10ms"},
		{c.Recovery.Limit < 1, "recovery.limit", "is at least 1"},
		{c.Settle.MaxRows < 1 || c.Settle.MaxRows > maxSettleRows, "settle.max_rows", "is 1 to 1000"},
		{c.Settle.MaxBytes < 1<<10 || c.Settle.MaxBytes > 256<<20, "settle.max_bytes", "is 1024 to 268435456"},
		{c.Settle.Linger < 0 || c.Settle.Linger > time.Second, "settle.linger", "is 0s to 1s"},
		{c.Drain.Calls < 0 || c.Drain.Calls > maxWait, "drain.calls", "is 0s to 1h"},
		{c.Drain.Settle < 0 || c.Drain.Settle > maxWait, "drain.settle", "is 0s to 1h"},
	}
}

func (d Delivery) checks(path string) []check {
	return slices.Concat([]check{
		{d.Concurrency < 1 || d.Concurrency > maxConcurrency, path + ".concurrency", "is 1 to 1000"},
		{d.CallTimeout < time.Millisecond || d.CallTimeout > maxWait, path + ".call_timeout", "is 1ms to 1h"},
		{d.MaxResponseBytes < 1<<10 || d.MaxResponseBytes > maxResponseLimit, path + ".max_response_bytes",
			"is 1024 to 16777216"},
		{d.Claim.MaxRows < 1, path + ".claim.max_rows", "is at least 1"},
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
		{r.Ceiling < time.Millisecond, path + ".ceiling", "is at least 1ms"},
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
