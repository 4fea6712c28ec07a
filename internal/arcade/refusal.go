package arcade

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Busy is the cause of an error where the engine said when to ask again.
type Busy struct{ After time.Duration }

func (b *Busy) Error() string { return "asks to wait " + b.After.String() }

// RetryAfter is how long an engine that was too busy asked to wait.
func RetryAfter(err error) (time.Duration, bool) {
	if b, ok := errors.AsType[*Busy](err); ok {
		return b.After, true
	}
	return 0, false
}

// longestWait bounds what an engine may ask for.
const longestWait = time.Hour

// refusal sorts what is no answer, by the number alone; what the engine says is
// shown and decides nothing.
func (c *Client) refusal(r request, resp *http.Response, body []byte) error {
	at, n, said := spec.Quote(c.config.Address()), resp.StatusCode, c.said(body)
	switch {
	case n >= 300 && n < 400:
		return fault.New(fault.Denied, "arcade_redirect", "Arcade at %s sends us elsewhere (%d), and nobody goes there with a key", at, n).
			Hint("set base_url of arcade in config.json to the address itself")
	case n == http.StatusUnauthorized:
		return fault.New(fault.Denied, "arcade_key", "Arcade at %s does not take the key (401)%s", at, said).Hint("set %s", EnvKey)
	case n == http.StatusForbidden:
		return fault.New(fault.Denied, "arcade_forbidden", "Arcade at %s does not allow it (403)%s", at, said)
	case n == http.StatusNotFound:
		return fault.New(fault.NotFound, "arcade_not_found", "Arcade at %s does not know what was asked for (404)%s", at, said).
			Hint("see that the toolkit is deployed there, and in this version")
	case n == http.StatusConflict:
		return fault.New(fault.Denied, "arcade_conflict", "Arcade at %s has something in the way (409)%s", at, said)
	case n == http.StatusTooManyRequests:
		// It was not taken, so that no tool ran.
		e := fault.New(fault.Unavailable, "arcade_busy", "Arcade at %s has no time (429)%s", at, said)
		if wait, ok := c.after(resp.Header.Get("Retry-After")); ok {
			e.Err = &Busy{wait}
			return e.Hint("try again in %s", wait)
		}
		return e.Hint("try again later")
	case n == http.StatusRequestTimeout || n >= 500:
		return c.untold(r, "arcade_failed", "Arcade at %s is out of order (%d)%s", at, n, said)
	}
	return fault.New(fault.Usage, "arcade_request", "Arcade at %s does not take the request (%d)%s", at, n, said)
}

// after reads Retry-After: seconds or a date.
func (c *Client) after(s string) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if n, err := strconv.Atoi(s); err == nil && n >= 0 {
		return min(time.Duration(min(n, int(longestWait/time.Second)))*time.Second, longestWait), true
	}
	if t, err := http.ParseTime(s); err == nil {
		return min(max(t.Sub(c.now()), 0), longestWait), true
	}
	return 0, false
}
