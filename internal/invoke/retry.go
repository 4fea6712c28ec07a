package invoke

import (
	"strconv"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Again tells whether a call may be made once more, and after which pause [TI-P29]. It
// may where the operation is idempotent, fewer than limits.CallAttempts were made, the
// failure is one that passes, and the pauses stay within limits.CallWait.
//
// status is that of the answer, 0 where there was none because the connection failed;
// retryAfter is the header of that name; now is the host's clock; waited is the sum of
// the pauses so far.
func Again(op *spec.Operation, attempts, status int, retryAfter string, now time.Time, waited time.Duration) (pause time.Duration, ok bool) {
	if !op.Idempotent || attempts >= limits.CallAttempts {
		return 0, false
	}
	switch status {
	case 0, 429, 502, 503, 504:
	default:
		return 0, false
	}
	pause = firstPause << (attempts - 1)
	if asked, said := retryPause(retryAfter, now); said {
		pause = asked
	}
	return pause, pause <= limits.CallWait-waited
}

// firstPause comes before the second attempt and is doubled before each that follows.
const firstPause = 500 * time.Millisecond

// retryPause reads Retry-After: seconds, or a date.
func retryPause(text string, now time.Time) (time.Duration, bool) {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if at, err := time.Parse(time.RFC1123, text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
