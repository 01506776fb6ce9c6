package dispatcher

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// exponential gives the delay before the try after the given one (from 1 up): the ceiling of the
// jitter doubles with each try from the floor to the range's ceiling, and the delay is anywhere
// between the floor and there. random gives a number below its positive argument.
func exponential(r Range, try int32, random func(int64) int64) time.Duration {
	top := r.Floor
	for n := int32(0); n < try && top < r.Ceiling; n++ {
		if top > r.Ceiling/2 {
			top = r.Ceiling
			break
		}
		top *= 2
	}
	return r.Floor + time.Duration(random(int64(top-r.Floor)+1))
}

// requested gives the delay that a consumer asked for, within bounds, plus up to a tenth, so that
// all who were told the same moment do not come back at the same moment.
func requested(r Range, asked time.Duration, random func(int64) int64) time.Duration {
	delay := min(max(asked, r.Floor), r.Ceiling)
	return min(delay+time.Duration(random(int64(delay/10)+1)), r.Ceiling)
}

// retryAfter reads a Retry-After header in either of its forms. A date counts from the answer's own
// Date where it has one, so that two clocks that differ do no harm. Anything else is no request.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if digits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			seconds = math.MaxInt64 // only a number that is too large gets here
		}
		return duration(seconds, time.Second), true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return max(at.Sub(now), 0), true
}

// duration gives so many units; what does not fit is the longest duration there is.
func duration(n int64, unit time.Duration) time.Duration {
	const longest = time.Duration(math.MaxInt64)
	if n > int64(longest/unit) {
		return longest
	}
	return time.Duration(n) * unit
}

func digits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}
