package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oceanway/outbox/internal/consumers"
)

// result is the demo's outcome, as a program gets it.
type result struct {
	OK            bool               `json:"ok"`
	Server        string             `json:"server"`
	Runs          int                `json:"runs"`
	Seed          string             `json:"seed"`
	Milliseconds  int64              `json:"milliseconds"`
	Transactions  int                `json:"transactions"`
	Events        int                `json:"events"`
	EventTypes    map[string]int     `json:"eventTypes"`
	Published     int                `json:"published"`
	Deliveries    int                `json:"deliveries"`
	ByDestination map[string]int     `json:"deliveriesByDestination"`
	ByStatus      map[string]int     `json:"deliveriesByStatus"`
	Attempts      map[string]int     `json:"attemptsByOutcome"`
	ErrorCodes    map[string]int     `json:"attemptsByErrorCode"`
	Dispatchers   []dispatcherRecord `json:"dispatchers"`
	Violations    int                `json:"violations"`
	Checks        []checkResult      `json:"checks"`

	codes map[string]map[string]int // outcome → error code → attempts
}

type checkResult struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

func newResult() result {
	return result{
		OK: true, EventTypes: map[string]int{}, ByDestination: map[string]int{}, ByStatus: map[string]int{},
		Attempts: map[string]int{}, ErrorCodes: map[string]int{}, codes: map[string]map[string]int{},
	}
}

// check records one claim; an empty complaint means that it holds.
func (r *result) check(name, complaint string) {
	r.Checks = append(r.Checks, checkResult{Name: name, OK: complaint == "", Detail: complaint})
	r.OK = r.OK && complaint == ""
}

// notRecovered is the complaint when no attempt was ended by recovery.
func (r *result) notRecovered() string {
	if r.Attempts["lease_expired_unknown"] == 0 {
		return "no attempt ended lease_expired_unknown"
	}
	return ""
}

func (r *result) count(l ledger) {
	for _, e := range l.events {
		r.EventTypes[e.eventType]++
		if e.published {
			r.Published++
		}
	}
	for _, d := range l.deliveries {
		r.ByDestination[d.destination]++
		r.ByStatus[d.status]++
	}
}

func (r *result) readAttempts(ctx context.Context, pool *pgxpool.Pool) error {
	type attempts struct {
		outcome, code string
		n             int
	}
	all, err := read(ctx, pool, sqlAttempts, func(row pgx.CollectableRow) (a attempts, err error) {
		return a, row.Scan(&a.outcome, &a.code, &a.n)
	})
	for _, a := range all {
		if r.codes[a.outcome] == nil {
			r.codes[a.outcome] = map[string]int{}
		}
		r.Attempts[a.outcome] += a.n
		r.codes[a.outcome][a.code] += a.n
		if a.code != "" {
			r.ErrorCodes[a.code] += a.n
		}
	}
	return err
}

// result prints the outcome in the view's style.
func (v *view) result(r result) error {
	if v.style == styleJSON {
		encoder := json.NewEncoder(v.out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("write the result: %w", err)
		}
		return nil
	}
	if _, err := io.WriteString(v.out, table(r)); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}

// table is the result for a person.
func table(r result) string {
	var b strings.Builder
	row := func(name string, n int, remark string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-36s %7d  %s", name, n, remark), " ") + "\n")
	}
	b.WriteString("\n")
	row("events", r.Events, fmt.Sprintf("of %d types, in %d transactions of %d runs", len(r.EventTypes), r.Transactions, r.Runs))
	row("  published", r.Published, "")
	row("deliveries", r.Deliveries, "")
	for _, kind := range consumers.Kinds() {
		row("  "+string(kind), r.ByDestination[string(kind)], "")
	}
	attempts := 0
	for _, n := range r.Attempts {
		attempts += n
	}
	row("attempts", attempts, "")
	for _, outcome := range slices.Sorted(maps.Keys(r.Attempts)) {
		row("  "+outcome, r.Attempts[outcome], codeRemark(r.codes[outcome]))
	}
	for _, d := range r.Dispatchers {
		fmt.Fprintf(&b, "%-36s %7d  %s\n", "dispatcher process", d.PID, d.Ended)
	}
	row("violations", r.Violations, "")
	b.WriteString("\n")
	for _, c := range r.Checks {
		if c.OK {
			fmt.Fprintf(&b, "  ok      %s\n", c.Name)
		} else {
			fmt.Fprintf(&b, "  FAILED  %s: %s\n", c.Name, c.Detail)
		}
	}
	verdict := "Everything was published exactly as frozen"
	if !r.OK {
		verdict = "Not everything is as it should be"
	}
	fmt.Fprintf(&b, "\n%s, in %.1f s on %s.\n", verdict, float64(r.Milliseconds)/1000, r.Server)
	return b.String()
}

func codeRemark(codes map[string]int) string {
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		if code != "" {
			parts = append(parts, fmt.Sprintf("%s %d", code, codes[code]))
		}
	}
	return strings.Join(parts, ", ")
}
