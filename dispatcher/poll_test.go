package dispatcher

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestPollAdaptsBetweenFloorAndCeiling(t *testing.T) {
	p := poll{bounds: Range{Floor: 20 * time.Millisecond, Ceiling: 100 * time.Millisecond}}
	steps := []struct {
		claimed, limit int
		want           time.Duration
	}{
		{10, 10, 0}, {10, 10, 0}, {3, 10, 20 * time.Millisecond}, {0, 10, 40 * time.Millisecond},
		{0, 10, 80 * time.Millisecond}, {0, 10, 100 * time.Millisecond}, {0, 10, 100 * time.Millisecond},
		{1, 10, 20 * time.Millisecond}, {10, 10, 0}, {0, 10, 20 * time.Millisecond},
	}
	for i, step := range steps {
		if got := p.after(step.claimed, step.limit); got != step.want {
			t.Errorf("step %d: %v, want %v", i, got, step.want)
		}
	}
}

func TestScanKeepsTheClaimsWithoutHintRare(t *testing.T) {
	began := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	at := began.Add
	s := scan{every: 100 * time.Millisecond}
	if s.hint(began) != nil {
		t.Error("the first claim has a hint")
	}
	s.done(false, began, at(time.Second), []Claimed{{EventID: "a"}, {EventID: "b", AvailableMicros: 7, CreatedMicros: 5}})
	if got := s.hint(at(2 * time.Second)); got == nil || *got != (position{available: 7, created: 5, eventID: "b"}) {
		t.Errorf("hint %+v, want the last row's position", got)
	}
	if s.hint(at(11*time.Second-1)) == nil {
		t.Error("a claim that took 1 s was repeated within 10 s")
	}
	if s.hint(at(11*time.Second)) != nil {
		t.Error("the claim without the hint does not come back")
	}
	s.done(false, at(11*time.Second), at(11*time.Second+time.Millisecond), nil)
	if s.hint(at(11*time.Second+100*time.Millisecond)) == nil || s.hint(at(11*time.Second+101*time.Millisecond)) != nil {
		t.Error("a quick claim is not repeated on its period")
	}
}

func TestScanHurriesToLookBeforeTheHint(t *testing.T) {
	began := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	s := scan{every: 100 * time.Millisecond, after: &position{}, next: began.Add(30 * time.Millisecond)}
	if got := s.wait(true, true, time.Second, began); got != 30*time.Millisecond {
		t.Errorf("short with hint: %v", got)
	}
	if got := s.wait(true, true, time.Second, began.Add(time.Minute)); got != 0 {
		t.Errorf("short with hint, period over: %v", got)
	}
	if got := s.wait(false, true, time.Second, began); got != time.Second {
		t.Errorf("short without hint: %v", got)
	}
	if got := s.wait(true, false, 0, began); got != 0 {
		t.Errorf("full: %v", got)
	}
}

func TestRoomWaitsForAQuarterOfTheSlotsButNotLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := DefaultDelivery()
		d.Claim.Linger = 5 * time.Millisecond
		r := newRoom(d, 100)
		r.take(16)
		go func() {
			for range 2 {
				pause(t.Context(), time.Millisecond)
				r.called()
			}
		}()
		began := time.Now()
		if n, err := r.wait(t.Context()); n != 2 || err != nil {
			t.Errorf("room for %d, %v", n, err)
		}
		if took := time.Since(began); took != 6*time.Millisecond {
			t.Errorf("after %v, want the first free slot and the linger", took)
		}
		r.called()
		r.called()
		began = time.Now()
		if n, err := r.wait(t.Context()); n != 4 || err != nil || time.Since(began) > 0 {
			t.Errorf("room for %d, %v, after %v", n, err, time.Since(began))
		}
	})
}

func TestRoomCountsOutcomesThatWait(t *testing.T) {
	d := DefaultDelivery()
	r := newRoom(d, 4)
	r.take(16)
	for range 16 {
		r.called()
	}
	if n := r.free(); n != 4 {
		t.Errorf("room for %d, want the backlog of 4", n)
	}
	r.take(4)
	for range 4 {
		r.called()
	}
	if n := r.free(); n != 0 {
		t.Errorf("room for %d while 20 outcomes wait", n)
	}
	for range 20 {
		r.settled()
	}
	if n := r.free(); n != 16 {
		t.Errorf("room for %d at the end", n)
	}
}
