package dispatcher

import "time"

// poll adapts the pause between claims: none while claims come back full, the floor while there is
// something, and twice the last pause, up to the ceiling, while there is nothing.
type poll struct {
	bounds Range
	last   time.Duration
}

func (p *poll) after(claimed, limit int) time.Duration {
	switch {
	case claimed >= limit:
		p.last = 0
	case claimed > 0 || p.last == 0:
		p.last = p.bounds.Floor
	default:
		p.last = min(2*p.last, p.bounds.Ceiling)
	}
	return p.last
}

// position is a place in the order of claims. Its times are microseconds of the database's clock and
// only ever go back to where they came from.
type position struct {
	available int64
	created   int64
	eventID   string
}

// scan decides which claims carry the position hint, so that they skip the index entries of
// deliveries that are done but not vacuumed yet. What sits before the hint (a retry that became due,
// a transaction that committed late) is found by the claims without it. Those run on a period, and
// at most every ten times their own last duration.
type scan struct {
	every time.Duration
	after *position
	next  time.Time // when a claim without the hint may run again
}

// hint gives the position for a claim that starts now, nil for a claim over everything.
func (s *scan) hint(now time.Time) *position {
	if s.after != nil && now.Before(s.next) {
		return s.after
	}
	return nil
}

// done records a claim that has come back.
func (s *scan) done(hinted bool, started, ended time.Time, batch []Claimed) {
	if !hinted {
		s.next = ended.Add(max(s.every, 10*ended.Sub(started)))
	}
	if len(batch) > 0 {
		last := batch[len(batch)-1]
		s.after = &position{available: last.AvailableMicros, created: last.CreatedMicros, eventID: last.EventID}
	}
}

// wait gives the pause before the next claim. A claim with the hint that came back short says
// nothing about the rows before the hint, so the next claim comes when it may look there.
func (s *scan) wait(hinted, short bool, paused time.Duration, now time.Time) time.Duration {
	if hinted && short {
		return min(paused, max(s.next.Sub(now), 0))
	}
	return paused
}
