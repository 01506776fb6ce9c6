package delivery_test

import (
	"fmt"
	"testing"

	"github.com/oceanway/outbox/tests/fixture"
	"github.com/oceanway/outbox/tests/tap"
)

func TestRenewalExtendsTheLeaseFromNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	tap.RowEq(t, w.dispatcher, tap.Row{0, claim.EventID, claim.Destination, claim.AttemptID, "renewed", nil},
		"select * from outbox.renew_leases($1::text::json, '30 min')", fixture.Array(fixture.Fence(claim)))
	tap.RowEq(t, w.admin, tap.Row{true, claim.LeaseToken, claim.AttemptID, 1}, `
		select lease_expires_at - clock_timestamp() between interval '29 min' and interval '30 min', lease_token, current_attempt_id,
			attempt_count
		from outbox.deliveries`)
}

func TestRenewalNeverShortensALease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	tap.IsntEmpty(t, w.dispatcher, "select outbox.renew_leases($1::text::json, '1 s')", fixture.Array(fixture.Fence(claim)))
	tap.RowEq(t, w.admin, tap.Row{claim.LeaseExpiresAt}, "select lease_expires_at from outbox.deliveries")
}

func TestRenewalRefusesLeasesOutOfBounds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	for _, lease := range []string{"'999 ms'", "'1 hour 1 ms'", "null", "'-1 s'", "'1000000 months -30000000 days 1 min'"} {
		tap.ThrowsLike(t, w.dispatcher, "OX023", "lease_is_bounded", "p_lease",
			"select outbox.renew_leases($1::text::json, "+lease+")", fixture.Array(fixture.Fence(claim)))
	}
	for _, lease := range []string{"'1 s'", "'1 hour'"} {
		tap.LivesOK(t, w.dispatcher, "select outbox.renew_leases($1::text::json, "+lease+")", fixture.Array(fixture.Fence(claim)))
	}
}

func TestRenewalOfEachItemStandsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claims := w.claimedBatch(t, fixture.Operations, 2)
	wrongToken, wrongEvent, wrongDestination := claims[0], claims[0], claims[0]
	wrongToken.LeaseToken += 1000
	wrongEvent.EventID = claims[1].EventID
	wrongDestination.Destination = fixture.Metering
	for _, wrong := range []fixture.Claimed{wrongToken, wrongEvent, wrongDestination} {
		for _, c := range []struct {
			items []fixture.Claimed
			want  string
		}{
			{[]fixture.Claimed{wrong, claims[0], claims[1]}, "[stale renewed renewed]"},
			{[]fixture.Claimed{claims[0], wrong, claims[1]}, "[renewed stale renewed]"},
			{[]fixture.Claimed{claims[1], claims[0], wrong}, "[renewed renewed stale]"},
		} {
			items := make([]string, len(c.items))
			for i, claim := range c.items {
				items[i] = fixture.Fence(claim)
			}
			tap.Is(t, fmt.Sprint(renew(t, w.dispatcher, items...)), c.want, "renewals")
		}
	}
}

func TestRenewalTwiceInOneCallIsRenewedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	claim := w.claimed(t, fixture.Operations)
	tap.Is(t, fmt.Sprint(renew(t, w.dispatcher, fixture.Fence(claim), fixture.Fence(claim))), "[renewed renewed]", "renewals")
}
