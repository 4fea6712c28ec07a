package judge

import (
	"net/http"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/judge/judgetest"
	"github.com/patch-cat/patch-git/internal/limits"
)

// TestBusy: a provider that is busy is asked the same again, three times at most;
// one that stays busy, or asks for a long pause, is one that did not answer.
func TestBusy(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		server := judgetest.New(t)
		server.Behave("busy-twice")
		out := ran(t, asking(t, server, kind), material())
		if out.Outcome != Pass || server.Requests() != 3*out.Requests {
			t.Errorf("%s: %d requests, %s", kind, server.Requests(), out.Encode())
		}
		server = judgetest.New(t)
		server.Behave("busy")
		out = ran(t, asking(t, server, kind), material())
		if out.Outcome != NeedsHuman || len(out.Failures) != 1 || out.Failures[0] != Unreachable || server.Requests() > limits.JudgeParallel {
			t.Errorf("%s: it says 600 seconds and is asked %d times: %s", kind, server.Requests(), out.Encode())
		}
	}
	// The time of one request holds for all tries of it.
	server := judgetest.New(t)
	server.Behave("busy-twice")
	j := asking(t, server, "openai")
	j.wire.most = 0
	if out := ran(t, j, material()); out.Outcome != NeedsHuman || server.Requests() != 0 {
		t.Errorf("without any time: %d requests, %s", server.Requests(), out.Encode())
	}
}

func TestLater(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		after  string
		pause  time.Duration
		later  bool
	}{
		{429, "", time.Second, true},
		{429, "0", 0, true},
		{503, "20", 20 * time.Second, true},
		{529, "1", time.Second, true},
		{429, "21", 21 * time.Second, false},
		{429, "-1", 0, false},
		{429, "4294967296000000000", 0, false},
		{429, "1 second", 0, false},
		{429, "Sun, 06 Nov 1994 08:49:37 GMT", 0, true},
		{429, "Fri, 01 Jan 2999 00:00:00 GMT", 0, false},
		{400, "0", 0, false},
		{401, "0", 0, false},
		{200, "0", 0, false},
		{302, "0", 0, false},
	} {
		resp := &http.Response{StatusCode: c.status, Header: http.Header{"Retry-After": {c.after}}}
		pause, later := laterBy(resp, 1)
		if later != c.later || later && pause != c.pause {
			t.Errorf("%d %q: %v, %v", c.status, c.after, pause, later)
		}
	}
}
