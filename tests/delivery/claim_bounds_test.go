package delivery_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

func TestClaimRefusesArgumentsOutOfBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fixture.AppendNew(t, w.producer)
	for _, c := range []struct{ name, invariant, path, arguments string }{
		{"unknown destination", "destination_is_registered", "p_destination", "'nowhere', 'w', 1, '60 s'"},
		{"destination in capitals", "destination_is_registered", "p_destination", "'CORE_OPERATIONS', 'w', 1, '60 s'"},
		{"no destination", "destination_is_registered", "p_destination", "null, 'w', 1, '60 s'"},
		{"empty worker", "worker_is_named", "p_worker", "'core_operations', '', 1, '60 s'"},
		{"no worker", "worker_is_named", "p_worker", "'core_operations', null, 1, '60 s'"},
		{"long worker", "worker_is_named", "p_worker", "'core_operations', repeat('w', 201), 1, '60 s'"},
		{"limit 0", "claim_is_bounded", "p_limit", "'core_operations', 'w', 0, '60 s'"},
		{"limit 1001", "claim_is_bounded", "p_limit", "'core_operations', 'w', 1001, '60 s'"},
		{"no limit", "claim_is_bounded", "p_limit", "'core_operations', 'w', null, '60 s'"},
		{"lease under a second", "lease_is_bounded", "p_lease", "'core_operations', 'w', 1, '999 ms'"},
		{"lease over an hour", "lease_is_bounded", "p_lease", "'core_operations', 'w', 1, '1 hour 1 ms'"},
		{"lease without end", "lease_is_bounded", "p_lease", "'core_operations', 'w', 1, '999999 hours'"},
		{"lease of months less days", "lease_is_bounded", "p_lease", "'core_operations', 'w', 1, '1000000 months -30000000 days 1 min'"},
		{"lease of days less hours", "lease_is_bounded", "p_lease", "'core_operations', 'w', 1, '-1 day 24 hours'"},
		{"no lease", "lease_is_bounded", "p_lease", "'core_operations', 'w', 1, null"},
		{"half a position", "position_is_whole", "p_after", "'core_operations', 'w', 1, '60 s', row('2026-01-01Z', null, null)::outbox.claim_position"},
		{"no bytes", "claim_is_bounded", "p_max_bytes", "'core_operations', 'w', 1, '60 s', null, 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tap.ThrowsLike(t, w.dispatcher, "OX023", c.invariant, c.path, "select outbox.claim_deliveries("+c.arguments+")")
		})
	}
	tap.IsEmpty(t, w.admin, "select from outbox.delivery_attempt_starts")
}

func TestClaimAcceptsItsBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fixture.AppendMany(t, w.producer, 4)
	for _, arguments := range []string{
		"'core_operations', 'w', 1, '1 s'", "'core_operations', repeat('w', 200), 1, '1 hour'",
		"'core_operations', 'w', 1, '60 s', null, 1", "'core_operations', 'w', 1000, '60 s', null, 9223372036854775807",
	} {
		tap.IsntEmpty(t, w.dispatcher, "select lease_token from outbox.claim_deliveries("+arguments+")")
	}
}

func TestClaimTakesAtMostItsLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := fixture.AppendMany(t, w.producer, 10)
	tap.Ok(t, slices.Equal(eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 3)), ids[:3]), "the first three")
	tap.Ok(t, slices.Equal(eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 3)), ids[3:6]), "the next three")
	tap.Is(t, len(fixture.Claim(t, w.dispatcher, fixture.Operations, 1000)), 4, "the rest")
}

func TestClaimStopsAtItsBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	big := fixture.Payload(`{"text":"` + strings.Repeat("x", 10_000) + `"}`)
	ids := fixture.AppendMany(t, w.producer, 5, big)
	size := tap.Value[int64](t, w.admin, "select max(octet_length(event_envelope))::int8 from outbox.events")
	claim := func(bytes int64) []string {
		t.Helper()
		return tap.Column[string](t, w.dispatcher,
			"select event_id::text from outbox.claim_deliveries('core_operations', 'w', 10, '60 s', null, $1)", bytes)
	}
	tap.Ok(t, slices.Equal(claim(1), ids[:1]), "one delivery, however large")
	tap.Ok(t, slices.Equal(claim(2*size), ids[1:3]), "as many as fit")
	tap.Ok(t, slices.Equal(claim(100*size), ids[3:]), "the rest, which the earlier claims left alone")
	tap.RowEq(t, w.admin, tap.Row{5, 1}, "select count(*), max(attempt_count) from outbox.deliveries")
}

func TestClaimPositionSkipsWhatComesBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := fixture.AppendMany(t, w.producer, 5)
	const after = `
		select event_id::text from outbox.claim_deliveries('core_operations', 'w', 2, '60 s',
			(select (available_at, created_at, event_id)::outbox.claim_position from outbox.deliveries where event_id = $1::text::uuid))`
	tap.Ok(t, slices.Equal(tap.Column[string](t, w.admin, after, ids[1]), ids[2:4]), "what follows the position")
	tap.Is(t, len(tap.Column[string](t, w.admin, after, ids[4])), 0, "nothing follows the last one")
	tap.Ok(t, slices.Equal(eventsOf(fixture.Claim(t, w.dispatcher, fixture.Operations, 10)), []string{ids[0], ids[1], ids[4]}),
		"what the position skipped stays claimable without it")
}

func TestClaimPositionOfNothingSkipsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fixture.AppendNew(t, w.producer)
	tap.RowEq(t, w.dispatcher, tap.Row{1}, `
		select count(*) from outbox.claim_deliveries('core_operations', 'w', 2, '60 s', row(null, null, null)::outbox.claim_position)`)
}
