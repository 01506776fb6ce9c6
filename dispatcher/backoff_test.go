package dispatcher

import (
	"math"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"
)

func TestBackoffStaysWithinItsBoundsAtEveryTry(t *testing.T) {
	ranges := []Range{
		{Floor: time.Second, Ceiling: 15 * time.Minute},
		{Floor: time.Millisecond, Ceiling: 720 * time.Hour},
		{Floor: time.Minute, Ceiling: time.Minute},
		{Floor: 1, Ceiling: math.MaxInt64 / 2},
	}
	tries := []int32{-1, 0, 1, 2, 3, 10, 31, 32, 61, 62, 63, 64, 65, 1000, math.MaxInt32 - 1, math.MaxInt32}
	lowest := func(int64) int64 { return 0 }
	highest := func(n int64) int64 { return n - 1 }
	for _, r := range ranges {
		for _, try := range tries {
			for _, random := range []func(int64) int64{lowest, highest, rand.Int64N} {
				if d := exponential(r, try, random); d < r.Floor || d > r.Ceiling {
					t.Errorf("%v at try %d: %v", r, try, d)
				}
			}
		}
		if d := exponential(r, math.MaxInt32, highest); d != r.Ceiling {
			t.Errorf("%v never gets to its ceiling: %v", r, d)
		}
	}
}

func TestBackoffDoubles(t *testing.T) {
	r := Range{Floor: time.Second, Ceiling: time.Hour}
	highest := func(n int64) int64 { return n - 1 }
	for try, want := range map[int32]time.Duration{1: 2 * time.Second, 2: 4 * time.Second, 5: 32 * time.Second, 11: 2048 * time.Second, 12: time.Hour} {
		if got := exponential(r, try, highest); got != want {
			t.Errorf("try %d: up to %v, want %v", try, got, want)
		}
	}
}

func TestWhatFailsTogetherDoesNotComeBackTogether(t *testing.T) {
	r := DefaultDelivery().Backoff
	var buckets [10]int
	for range 1000 {
		d := exponential(r, 1, rand.Int64N)
		buckets[min(int((d-r.Floor)*10/r.Floor), 9)]++
	}
	for i, n := range buckets {
		if n < 50 || n > 200 {
			t.Errorf("%d of 1000 in tenth %d", n, i)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	const none = time.Duration(-1)
	tests := []struct {
		header, date string
		want         time.Duration
	}{
		{"120", "", 2 * time.Minute},
		{"0", "", 0},
		{" 7 ", "", 7 * time.Second},
		{"Sun, 01 Nov 2026 12:00:30 GMT", "", 30 * time.Second},
		{"Sunday, 01-Nov-26 12:00:30 GMT", "", 30 * time.Second},
		{"Sun Nov  1 12:00:30 2026", "", 30 * time.Second},
		{"Sun, 01 Nov 2026 11:00:00 GMT", "", 0},                                             // past
		{"Sun, 01 Nov 2026 13:00:30 GMT", "Sun, 01 Nov 2026 13:00:00 GMT", 30 * time.Second}, // a clock an hour ahead
		{"Sun, 01 Nov 2026 12:00:30 GMT", "garbage", 30 * time.Second},
		{"99999999999", "", math.MaxInt64},
		{"99999999999999999999999999", "", math.MaxInt64},
		{"", "", none},
		{"-1", "", none},
		{"+5", "", none},
		{"1.5", "", none},
		{"1e3", "", none},
		{"0x10", "", none},
		{"20261101", "", 20261101 * time.Second}, // digits are seconds, never a date
		{"tomorrow", "", none},
		{"Sun, 32 Nov 2026 12:00:30 GMT", "", none},
		{"2026-11-01T12:00:30Z", "", none},
		{"٣", "", none},
	}
	for _, test := range tests {
		h := http.Header{"Retry-After": {test.header}, "Date": {test.date}}
		got, asked := retryAfter(h, now)
		if !asked {
			got = none
		}
		if got != test.want {
			t.Errorf("Retry-After %q, Date %q: %v, want %v", test.header, test.date, got, test.want)
		}
	}
	if _, asked := retryAfter(nil, now); asked {
		t.Error("no headers ask for a delay")
	}
}

func TestRequestedDelayIsClamped(t *testing.T) {
	r := Range{Floor: time.Second, Ceiling: time.Hour}
	highest := func(n int64) int64 { return n - 1 }
	for asked, want := range map[time.Duration]time.Duration{
		0: 1100 * time.Millisecond, -5: 1100 * time.Millisecond, time.Minute: 66 * time.Second,
		59 * time.Minute: time.Hour, time.Hour: time.Hour, math.MaxInt64: time.Hour, math.MinInt64: 1100 * time.Millisecond,
	} {
		if got := requested(r, asked, highest); got != want {
			t.Errorf("asked for %v: up to %v, want %v", asked, got, want)
		}
	}
}
