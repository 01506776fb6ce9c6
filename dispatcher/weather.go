package dispatcher

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/oceanway/outbox/internal/pgerr"
)

// weather is what the loops know of the database's state. Losing the database is weather: a loop
// says so once, tries again with growing pauses for as long as it takes, and says when it is over.
type weather struct {
	log    *slog.Logger
	pauses Range
	random func(int64) int64

	mu  sync.Mutex
	bad map[string]time.Time // since when, by what is failing
}

func newWeather(log *slog.Logger, pauses Range, random func(int64) int64) *weather {
	return &weather{log: log, pauses: pauses, random: random, bad: map[string]time.Time{}}
}

// failed notes that something could not be done, for the try-th time in a row (from 1 up), and gives
// the pause before the next try. It logs the first failure of a row and then every hundredth.
func (w *weather) failed(what string, try int32, err error) time.Duration {
	w.mu.Lock()
	if _, known := w.bad[what]; !known {
		w.bad[what] = time.Now()
	}
	w.mu.Unlock()
	pause := exponential(w.pauses, try, w.random)
	if try%100 == 1 {
		level := slog.LevelWarn
		if errors.Is(err, pgerr.ErrRefused) || errors.Is(err, pgerr.ErrPermission) || errors.Is(err, pgerr.ErrMissingObject) {
			level = slog.LevelError // somebody has to change something
		}
		w.log.Log(context.Background(), level, "database call failed, trying again",
			"call", what, "try", try, "error", describe(err))
	}
	return pause
}

// worked notes that something could be done.
func (w *weather) worked(what string) {
	w.mu.Lock()
	since, was := w.bad[what]
	delete(w.bad, what)
	w.mu.Unlock()
	if was {
		w.log.Info("database call works again", "call", what, "failed_for", time.Since(since).Round(time.Millisecond))
	}
}

// describe words an error for the log without anything that could come from a payload: outside of
// class OX the messages of data exceptions (class 22) quote what they could not read.
func describe(err error) string {
	var report *pgerr.Error
	if errors.As(err, &report) && strings.HasPrefix(report.SQLState, "22") {
		return report.SQLState + " " + report.Invariant
	}
	return err.Error()
}

// itemFault tells an error that the batch itself may bring about, and that waiting does not cure, from
// weather. Weather is everything the database reports about itself: its connections, transactions,
// resources, privileges and schema.
func itemFault(err error) bool {
	var report *pgerr.Error
	if !errors.As(err, &report) {
		return false
	}
	for _, kind := range []error{
		pgerr.ErrUnavailable, pgerr.ErrReadOnly, pgerr.ErrSerialization,
		pgerr.ErrPermission, pgerr.ErrMissingObject, pgerr.ErrTimeout,
	} {
		if errors.Is(err, kind) {
			return false
		}
	}
	switch report.SQLState[:min(2, len(report.SQLState))] {
	case "08", "25", "26", "28", "40", "53", "55", "57", "58", "F0":
		return false
	}
	return true
}

// tookTooLong tells a call that a smaller batch may survive.
func tookTooLong(err error) bool {
	return errors.Is(err, pgerr.ErrTimeout) || errors.Is(err, context.DeadlineExceeded)
}

// pause waits, or gives up with the context. It tells whether the time has passed.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
