package github

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// longest is more than any limit of GitHub's lasts; a larger number is a
// mistake or an attempt to make the sum of waits overflow.
const longest = 24 * time.Hour

// pause tells whether an answer is a rate limit, and how long to wait for it.
//
// GitHub's rules (docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api):
// both limits answer 403 or 429. Retry-After, in seconds, comes first; then, if
// X-RateLimit-Remaining is 0, X-RateLimit-Reset, in seconds since 1970; else a
// minute. A 403 with none of these is a refusal and no limit.
func pause(status int, h http.Header, body []byte, now time.Time) (time.Duration, bool) {
	if status != http.StatusForbidden && status != http.StatusTooManyRequests {
		return 0, false
	}
	if after := h.Get("Retry-After"); after != "" {
		if n, err := strconv.ParseInt(after, 10, 64); err == nil {
			return between(seconds(n)), true
		}
		if t, err := http.ParseTime(after); err == nil {
			return between(t.Sub(now)), true
		}
	}
	if h.Get("X-RateLimit-Remaining") == "0" {
		if n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64); err == nil && n > 0 && n < 1<<40 {
			// Both clocks are cut to seconds: one more, and the limit is over.
			return between(time.Unix(n, 0).Sub(now) + time.Second), true
		}
	}
	if status == http.StatusTooManyRequests || bytes.Contains(body, []byte("secondary rate limit")) {
		return time.Minute, true
	}
	return 0, false
}

func seconds(n int64) time.Duration {
	return time.Duration(min(max(n, 0), int64(longest/time.Second))) * time.Second
}

func between(d time.Duration) time.Duration { return min(max(d, time.Second), longest) }

// backOff is how long to wait after a failed attempt: 1, 2, 4, 8 seconds.
func backOff(attempt int) time.Duration { return time.Second << (attempt - 1) }
