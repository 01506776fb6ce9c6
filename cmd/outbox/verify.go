package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

const (
	// fastSlice and slowSlice bound how long the database should work on one slice: faster ones are
	// widened, slower ones narrowed, so that no snapshot is held for long.
	fastSlice = 250 * time.Millisecond
	slowSlice = 2 * time.Second

	minSlice = time.Minute
	maxSlice = 10 * 365 * 24 * time.Hour
)

// verification is one run of verify.
type verification struct {
	from, to  string
	slice     time.Duration
	canonical bool
	asJSON    bool
}

func newVerifyCommand(a *app) *cobra.Command {
	var v verification
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check every invariant over the stored facts",
		Long: `verify lets the database check its invariants over all events, or over those that
were appended between --from and --to, slice by slice, so that no long transaction
holds back vacuum. The slices start at --slice and adapt to the speed of the
server. It prints one line for each finding and, on standard error, how far it
got. It fails when there is any finding.

The first slice of a walk from the beginning also checks what belongs to no time:
triggers, registered definitions, and rows without their parents. With --from none
of that is checked.

The stored bytes are always digested again; --canonical canonicalises them again
too, which is slower. It needs the role outbox_reader and changes nothing.`,
		Example: `  outbox verify
  outbox verify --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z --canonical
  outbox verify --json > findings.ndjson`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, to, err := v.bounds()
			if err != nil {
				return err
			}
			return a.session(cmd.Context(), "outbox_reader", func(conn *pgx.Conn) error {
				return a.verify(cmd.Context(), conn, v, from, to)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&v.from, "from", "", "first append time, RFC 3339 (default the beginning)")
	flags.StringVar(&v.to, "to", "", "append time to stop before, RFC 3339 (default now)")
	flags.DurationVar(&v.slice, "slice", time.Hour, "length of the first slice")
	flags.BoolVar(&v.canonical, "canonical", false, "canonicalise the stored envelopes again")
	flags.BoolVar(&v.asJSON, "json", false, "print each finding as a line of JSON")
	return cmd
}

// bounds reads the flags. A bound that was not given is nil.
func (v verification) bounds() (from, to *time.Time, err error) {
	read := func(flag, text string) *time.Time {
		if text == "" || err != nil {
			return nil
		}
		at, wrong := time.Parse(time.RFC3339Nano, text)
		if wrong != nil {
			err = usagef("--%s %q is not like 2026-11-30T12:00:00Z", flag, text)
			return nil
		}
		return &at
	}
	from, to = read("from", v.from), read("to", v.to)
	switch {
	case err != nil:
		return nil, nil, err
	case from != nil && to != nil && !from.Before(*to):
		return nil, nil, usagef("--from is not before --to")
	case v.slice < minSlice:
		return nil, nil, usagef("--slice is %s: at least %s", v.slice, minSlice)
	}
	return from, to, nil
}

// verify walks the slices. The outermost bounds that were not given stay open, so that nothing can
// lie outside of the first and the last slice. A slice without a lower bound is also the one in which
// the database checks what belongs to no time, so there is at most one.
func (a *app) verify(ctx context.Context, conn *pgx.Conn, v verification, from, to *time.Time) error {
	start, end, err := appendTimes(ctx, conn)
	if err != nil {
		return err
	}
	if from != nil {
		start = *from
	}
	if to != nil {
		end = *to
	}
	findings, width := 0, v.slice
	for lower := from; ; {
		upper, last := &time.Time{}, false
		if *upper = start.Add(width); !upper.Before(end) {
			upper, last = to, true
		}
		began := time.Now()
		found, err := verifySlice(ctx, conn, lower, upper, v.canonical)
		if err != nil {
			return err
		}
		findings += len(found)
		if err := a.printFindings(found, v.asJSON); err != nil {
			return err
		}
		if last {
			break
		}
		fmt.Fprintf(a.stderr, "verified up to %s, %s\n", upper.UTC().Format(time.RFC3339), count(findings, "finding"))
		width = adapt(width, time.Since(began))
		lower, start = upper, *upper
	}
	if findings > 0 {
		return fmt.Errorf("%s", count(findings, "finding"))
	}
	fmt.Fprintln(a.stderr, "verified, no findings")
	return nil
}

// adapt chooses the length of the next slice by the time that the last one took.
func adapt(width, took time.Duration) time.Duration {
	switch {
	case took < fastSlice:
		return min(2*width, maxSlice)
	case took > slowSlice:
		return max(width/2, minSlice)
	}
	return width
}

func (a *app) printFindings(found []finding, asJSON bool) error {
	for _, f := range found {
		line := f.line()
		if asJSON {
			line = f.json()
		}
		if err := a.printf("%s\n", line); err != nil {
			return err
		}
	}
	return nil
}
