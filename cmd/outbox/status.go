package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/oceanway/outbox/internal/migrate"
)

// maxStuckLeases is how many stuck leases are listed.
const maxStuckLeases = 20

// overview is the state of an outbox. A number that is capped says "at least".
type overview struct {
	Schema            migrate.Status `json:"schema"`
	ActiveDeliverySet *deliverySet   `json:"activeDeliverySet"`
	Destinations      []backlog      `json:"destinations"`
	Quarantined       int64          `json:"quarantined"`
	QuarantinedCapped bool           `json:"quarantinedIsCapped"`
	StuckLeases       []stuckLease   `json:"stuckLeases"`
	StuckLeasesCapped bool           `json:"stuckLeasesIsCapped"`
}

// backlog is what waits for one destination. The database stops counting at a cap.
type backlog struct {
	Destination       string     `json:"destination"`
	Paused            bool       `json:"paused"`
	Waiting           int64      `json:"waiting"`
	WaitingCapped     bool       `json:"waitingIsCapped"`
	OldestSeconds     *int64     `json:"oldestSeconds"`
	NextAvailable     *time.Time `json:"nextAvailableAt"`
	Leased            int64      `json:"leased"`
	LeasedCapped      bool       `json:"leasedIsCapped"`
	Quarantined       int64      `json:"quarantined"`
	QuarantinedCapped bool       `json:"quarantinedIsCapped"`
}

// stuckLease is a lease that ran out and that no dispatcher recovered.
type stuckLease struct {
	EventID        string    `json:"eventId"`
	Destination    string    `json:"destination"`
	LeaseOwner     string    `json:"leaseOwner"`
	LeaseExpiresAt time.Time `json:"leaseExpiresAt"`
	AttemptCount   int       `json:"attemptCount"`
}

func newStatusCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show schema, active delivery set, backlog, quarantine and stuck leases",
		Long: `status shows what the views of the database say: the schema version, the active
delivery set, and for each destination what waits, since when, what is leased and
what is quarantined. Counts stop at 10,000 for each destination, so that a look
stays cheap; "10000+" is a count that stopped. Stuck leases ran out more than five
minutes ago and were not recovered: no dispatcher is running; at most 20 are
listed, and "20+" says that there are more.

It needs the role outbox_reader.`,
		Example: `  outbox status
  outbox status --json | jq '.destinations[] | select(.paused)'`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.bareSession(cmd.Context(), func(conn *pgx.Conn) error {
				state, err := readOverview(cmd.Context(), conn)
				if err != nil {
					return withGrant(err, "outbox_reader", conn.Config().User)
				}
				if asJSON {
					return a.printJSON(state)
				}
				return a.printOverview(state)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func readOverview(ctx context.Context, conn *pgx.Conn) (state overview, err error) {
	if state.Schema, err = migrate.Check(ctx, conn); err != nil {
		return state, err
	}
	if state.ActiveDeliverySet, err = activeDeliverySet(ctx, conn); err != nil {
		return state, err
	}
	if state.Destinations, err = backlogs(ctx, conn); err != nil {
		return state, err
	}
	for _, destination := range state.Destinations {
		state.Quarantined += destination.Quarantined
		state.QuarantinedCapped = state.QuarantinedCapped || destination.QuarantinedCapped
	}
	if state.StuckLeases, err = stuckLeases(ctx, conn, maxStuckLeases+1); err != nil {
		return state, err
	}
	if len(state.StuckLeases) > maxStuckLeases {
		state.StuckLeases, state.StuckLeasesCapped = state.StuckLeases[:maxStuckLeases], true
	}
	return state, nil
}

func (a *app) printOverview(state overview) error {
	active := "none: activate one before events can be appended"
	if set := state.ActiveDeliverySet; set != nil {
		active = fmt.Sprintf("%s, since %s", describe(set.identity()), stamp(set.ActivatedAt))
	}
	if err := a.printf("schema %d\nactive delivery set %s\n\n", state.Schema.Version, active); err != nil {
		return err
	}
	err := a.printTable(func(w io.Writer) {
		fmt.Fprintln(w, "DESTINATION\tSTATE\tWAITING\tOLDEST\tLEASED\tQUARANTINED")
		for _, b := range state.Destinations {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", b.Destination, b.state(), figure(b.Waiting, b.WaitingCapped), b.age(),
				figure(b.Leased, b.LeasedCapped), figure(b.Quarantined, b.QuarantinedCapped))
		}
	})
	if err != nil {
		return err
	}
	stuck := figure(int64(len(state.StuckLeases)), state.StuckLeasesCapped)
	if err := a.printf("\nquarantined %s\nstuck leases %s\n", figure(state.Quarantined, state.QuarantinedCapped), stuck); err != nil {
		return err
	}
	for _, lease := range state.StuckLeases {
		if err := a.printf("  %s to %s: %s let it run out at %s, attempt %d\n", lease.EventID, lease.Destination,
			lease.LeaseOwner, stamp(&lease.LeaseExpiresAt), lease.AttemptCount); err != nil {
			return err
		}
	}
	return nil
}

func (b backlog) state() string {
	if b.Paused {
		return "paused"
	}
	return "open"
}

// figure writes a number that may be a lower bound.
func figure(n int64, capped bool) string {
	if capped {
		return fmt.Sprintf("%d+", n)
	}
	return fmt.Sprint(n)
}

func (b backlog) age() string {
	if b.OldestSeconds == nil {
		return "-"
	}
	return (time.Duration(*b.OldestSeconds) * time.Second).String()
}

// printTable writes aligned columns.
func (a *app) printTable(fill func(w io.Writer)) error {
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fill(table)
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

// stamp writes a time for a person.
func stamp(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.UTC().Format(time.RFC3339)
}
