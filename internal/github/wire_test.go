package github_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
	"github.com/patch-cat/patch-git/internal/limits"
)

// What GitHub refuses for a while is asked again when it says so, and whatever
// the request is: it was not carried out.
func TestRateLimits(t *testing.T) {
	for name, tc := range map[string]struct {
		fault func(now time.Time) githubtest.Fault
		wait  time.Duration
	}{
		"primary":         {func(now time.Time) githubtest.Fault { return githubtest.PrimaryLimit(now.Add(5 * time.Minute)) }, 5*time.Minute + time.Second},
		"primary, past":   {func(now time.Time) githubtest.Fault { return githubtest.PrimaryLimit(now.Add(-time.Hour)) }, time.Second},
		"secondary":       {func(time.Time) githubtest.Fault { return githubtest.SecondaryLimit(7) }, 7 * time.Second},
		"secondary, zero": {func(time.Time) githubtest.Fault { return githubtest.SecondaryLimit(0) }, time.Second},
		"secondary, mute": {func(time.Time) githubtest.Fault { return githubtest.SecondaryLimit(-1) }, time.Minute},
		"429": {func(time.Time) githubtest.Fault {
			return githubtest.Fault{Status: http.StatusTooManyRequests, Body: "{}"}
		}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			_, n, head := st.proposal(oneTool)
			c := st.job("contents", "write")
			f := tc.fault(st.now)
			f.Times = 2
			st.gh.Fail(f.On(http.MethodPut, ""))
			began := st.now
			_, err := c.Merge(t.Context(), st.repo, n, head, "title")
			ok(t, err)
			waited := st.now.Sub(began)
			if strings.HasPrefix(name, "primary") { // the second time is at the reset already
				tc.wait += time.Second - tc.wait
				if name == "primary" {
					tc.wait = 5*time.Minute + 2*time.Second
				} else {
					tc.wait = 2 * time.Second
				}
			} else {
				tc.wait *= 2
			}
			if waited != tc.wait {
				t.Errorf("waited %v, want %v (%v)", waited, tc.wait, st.waits)
			}
			if got := st.count(http.MethodPut, fmt.Sprintf("/repos/ada/tools/pulls/%d/merge", n)); got != 3 {
				t.Errorf("asked %d times", got)
			}
			for _, w := range st.waits {
				has(t, w, "rate_limit")
			}
		})
	}
}

// A limit beyond our patience is told and not waited for.
func TestPatience(t *testing.T) {
	for name, tc := range map[string]struct {
		fault githubtest.Fault
		kind  string
	}{
		"a long limit":    {githubtest.PrimaryLimit(time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)), "rate_limit"},
		"a longer one":    {githubtest.SecondaryLimit(int(limits.GitHubPatience/time.Second) + 1), "rate_limit"},
		"an absurd one":   {githubtest.Fault{Status: 429, Header: map[string]string{"Retry-After": "9223372036854775807"}}, "rate_limit"},
		"one after other": {githubtest.SecondaryLimit(60), "rate_limit"},
		"5xx":             {githubtest.BadGateway(), "github"},
		"cut":             {githubtest.Cut(false), "network"},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			f := tc.fault
			f.Times = -1
			st.gh.Fail(f)
			_, err := st.client("").Repository(t.Context(), st.repo)
			refused(t, err, fault.Unavailable, tc.kind)
			if waited := st.now.Sub(time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)); waited > limits.GitHubPatience {
				t.Errorf("waited %v", waited)
			}
		})
	}
}

// The patience is for all requests together, and comes back when one goes
// through at once.
func TestPatienceComesBack(t *testing.T) {
	st := newStage(t)
	c := st.client("")
	long := githubtest.SecondaryLimit(int(limits.GitHubPatience/time.Second) - 1)
	for range 3 {
		st.gh.Fail(long)
		_, err := c.Repository(t.Context(), st.repo)
		ok(t, err)
		_, err = c.Repository(t.Context(), st.repo)
		ok(t, err)
	}
	st.gh.Fail(long)
	_, err := c.Repository(t.Context(), st.repo)
	ok(t, err)
	st.gh.Fail(long)
	_, err = c.Repository(t.Context(), st.repo)
	refused(t, err, fault.Unavailable, "rate_limit")
}

// Without a rate limit's marks a 403 is a refusal, and not asked again.
func TestForbiddenIsNoLimit(t *testing.T) {
	st := newStage(t)
	st.gh.Fail(githubtest.Fault{Status: http.StatusForbidden, Body: `{"message":"no"}`, Header: map[string]string{"X-RateLimit-Remaining": "17", "X-RateLimit-Reset": "1"}})
	_, err := st.client("").Repository(t.Context(), st.repo)
	refused(t, err, fault.Denied, "token")
	if len(st.waits) != 0 {
		t.Errorf("waited: %v", st.waits)
	}
}

func TestReadingIsAskedAgain(t *testing.T) {
	for name, f := range map[string]githubtest.Fault{"502": githubtest.BadGateway(), "cut": githubtest.Cut(false), "503": {Status: 503}} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			f.Times = limits.GitHubAttempts - 1
			st.gh.Fail(f)
			_, err := st.client("").Repository(t.Context(), st.repo)
			ok(t, err)
			if len(st.waits) != limits.GitHubAttempts-1 || st.now.Sub(time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)) != 15*time.Second {
				t.Errorf("waits %v", st.waits)
			}
		})
	}
}

// A change that is made twice would be two changes: after a lost answer we look.
func TestChangesAreMadeOnce(t *testing.T) {
	for name, f := range map[string]githubtest.Fault{
		"cut, and done":     githubtest.Cut(true),
		"cut, and not done": githubtest.Cut(false),
		"502, and done":     {Status: http.StatusBadGateway, Done: true},
	} {
		t.Run(name+": merge", func(t *testing.T) {
			st := newStage(t)
			_, n, head := st.proposal(oneTool)
			st.gh.Fail(f.On(http.MethodPut, ""))
			sha, err := st.job("contents", "write").Merge(t.Context(), st.repo, n, head, "title")
			ok(t, err)
			if st.tools.Tip("main") != sha {
				t.Errorf("main is at %s, and not at %s", st.tools.Tip("main"), sha)
			}
		})
		t.Run(name+": rerun", func(t *testing.T) {
			st := newStage(t)
			st.tools.AddRun(githubtest.Run{File: "publish.yml", Head: st.first, Event: "push", Branch: "main", Status: "completed"})
			st.gh.Fail(f.On(http.MethodPost, "/repos/ada/tools/actions/"))
			_, err := st.job("actions", "write").Rerun(t.Context(), st.repo, "publish.yml")
			ok(t, err)
			if got := st.tools.Runs()[0].Attempt; got != 2 {
				t.Errorf("attempt %d", got)
			}
		})
		t.Run(name+": pull request", func(t *testing.T) {
			st := newStage(t)
			fork := st.tools.Fork("bob")
			fork.Push("new", st.first, "m", oneTool)
			st.gh.Fail(f.On(http.MethodPost, "/repos/ada/tools/pulls"))
			p, err := st.client(st.gh.Token("bob")).OpenPull(t.Context(), st.repo, github.NewPull{Head: "bob:new", Base: "main", Title: "t"})
			if ok(t, err); p.Number != 1 {
				t.Errorf("got %+v", p)
			}
		})
	}
	t.Run("lost for ever", func(t *testing.T) {
		st := newStage(t)
		_, n, head := st.proposal(oneTool)
		f := githubtest.Cut(false)
		f.Times = -1
		st.gh.Fail(f.On(http.MethodPut, ""))
		_, err := st.job("contents", "write").Merge(t.Context(), st.repo, n, head, "title")
		refused(t, err, fault.Unavailable, "network")
		has(t, err.Error(), "not known")
		if got := st.count(http.MethodPut, fmt.Sprintf("/repos/ada/tools/pulls/%d/merge", n)); got != limits.GitHubAttempts {
			t.Errorf("tried %d times", got)
		}
	})
	t.Run("somebody else merged another head", func(t *testing.T) {
		st := newStage(t)
		fork, n, head := st.proposal(oneTool)
		f := githubtest.Cut(false)
		f.Do = func() {
			next := fork.Push("new", "", "evil", map[string][]byte{"evil": []byte("x")})
			if _, err := st.client(st.gh.Token("ada")).Merge(context.Background(), st.repo, n, next, "title"); err != nil {
				t.Error(err)
			}
		}
		st.gh.Fail(f.On(http.MethodPut, ""))
		_, err := st.job("contents", "write").Merge(t.Context(), st.repo, n, head, "title")
		refused(t, err, fault.Findings, "head_moved")
	})
}

// The end of the context ends every wait.
func TestInterrupted(t *testing.T) {
	st := newStage(t)
	ctx, cancel := context.WithCancel(t.Context())
	st.gh.Fail(githubtest.Fault{Status: 502, Times: -1, Do: cancel})
	_, err := st.client("").Repository(ctx, st.repo)
	if !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Interrupted {
		t.Errorf("got %v (%v)", err, fault.KindOf(err))
	}
}

// The token goes to the interface alone, whatever leads elsewhere, and a change
// does not become a question on the way.
func TestRedirects(t *testing.T) {
	var leaked []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked = append(leaked, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(other.Close)
	st := newStage(t)
	token := st.gh.Token("ada")
	c := st.client(token)
	ctx := t.Context()
	to := func(status int, where string) githubtest.Fault {
		return githubtest.Fault{Status: status, Header: map[string]string{"Location": where}, Path: "/repos/ada/old"}
	}
	old := github.Repo{Owner: "ada", Name: "old"}

	st.gh.Fail(to(301, st.base+"repos/ada/tools")) // a repository that was renamed
	r, err := c.Repository(ctx, old)
	if ok(t, err); r.Repo != st.repo {
		t.Errorf("got %+v", r)
	}
	for _, where := range []string{other.URL + "/x", strings.Replace(st.base, "http:", "https:", 1) + "repos/ada/tools", strings.Replace(st.base, "127.0.0.1", "localhost", 1) + "repos/ada/tools", "file:///etc/passwd"} {
		st.gh.Fail(to(302, where))
		_, err = c.Repository(ctx, old)
		refused(t, err, fault.NotVerified, "redirect")
	}
	if leaked != nil {
		t.Errorf("another site was asked, with %q", leaked)
	}
	loop := to(301, st.base+"repos/ada/old")
	loop.Times = -1
	st.gh.Fail(loop)
	_, err = c.Repository(ctx, old)
	refused(t, err, fault.Unavailable, "redirects")

	_, n, _ := st.proposal(oneTool)
	move := to(301, fmt.Sprintf("%srepos/ada/tools/pulls/%d", st.base, n))
	st.gh.Fail(move.On(http.MethodPatch, ""))
	err = c.Close(ctx, st.repo, n)
	refused(t, err, fault.Unavailable, "redirect")
	if _, _, state := st.tools.Text(n); state != "open" {
		t.Error("it was closed")
	}
}

// An answer of any length is read only so far.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	sent := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		block := []byte(strings.Repeat(" ", 1<<20))
		for sent = 0; sent < 3*limits.GitHubAnswer; {
			n, err := w.Write(block)
			sent += n
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	c, err := github.New(github.Options{API: srv.URL, HTTP: srv.Client(), Now: time.Now})
	ok(t, err)
	_, err = c.Repository(t.Context(), github.Repo{Owner: "ada", Name: "tools"})
	refused(t, err, fault.Findings, "too_large")
	srv.Close()
	if sent >= 2*limits.GitHubAnswer {
		t.Errorf("%d bytes were taken", sent)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"":                               true,
		"https://api.github.com":         true,
		"https://api.github.com/":        true,
		"https://ghe.example/api/v3":     true,
		"http://127.0.0.1:1/":            true,
		"http://[::1]:1/":                true,
		"http://api.github.com/":         false,
		"http://localhost:1/":            false, // a name can be anybody
		"http://127.0.0.1.evil.example/": false,
		"http://127.1/":                  false,
		"http://192.0.2.1/":              false, // nothing is asked here
		"https://ada:x@api.github.com/":  false,
		"https://api.github.com/?x":      false,
		"https://api.github.com/#x":      false,
		"api.github.com":                 false,
		"ftp://127.0.0.1/":               false,
		"https:api.github.com":           false,
	} {
		_, err := github.New(github.Options{API: address, HTTP: http.DefaultClient, Now: time.Now})
		if (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil {
			refused(t, err, fault.Usage, "api")
		}
	}
	if _, err := github.New(github.Options{HTTP: http.DefaultClient}); err == nil {
		t.Error("a client without a clock")
	}
	_, err := github.New(github.Options{HTTP: http.DefaultClient, Now: time.Now, Token: "a\r\nHost: evil"})
	refused(t, err, fault.Usage, "token")
}

// No error holds the token, even where the server sends it back, or a part of
// it is all that fits into the message.
func TestErrorsNeverHoldTheToken(t *testing.T) {
	t.Parallel()
	const token = `ghp_"quoted\"0123456789abcdefghijklmnopqrstuvwxyz`
	answers := map[string]http.HandlerFunc{}
	for _, status := range []int{200, 301, 400, 401, 403, 404, 409, 422, 500} {
		for name, body := range map[string]string{
			"message": `{"message":%q}`, "error": `{"message":"x","errors":[{"resource":%q,"field":"f","code":"c"}]}`, "plain": `%s`,
			"far": `{"message":"` + strings.Repeat("x", 60) + `"%.0s,"errors":[{"message":%[1]q}]}`,
		} {
			answers[fmt.Sprint(status, " ", name)] = func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Accepted-GitHub-Permissions", r.Header.Get("Authorization"))
				w.Header().Set("Location", "/"+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
				w.WriteHeader(status)
				fmt.Fprintf(w, body, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			}
		}
	}
	answers["cut"] = func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			var seen atomic.Value // a connection that is cut orders nothing
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen.Store(r.Header.Get("Authorization"))
				answer(w, r)
			}))
			defer srv.Close()
			c, err := github.New(github.Options{API: srv.URL, HTTP: srv.Client(), Token: token, Now: time.Now, Sleep: func(context.Context, time.Duration) error { return nil }})
			ok(t, err)
			repo := github.Repo{Owner: "ada", Name: "tools"}
			_, read := c.Repository(t.Context(), repo)
			_, err = c.Merge(t.Context(), repo, 1, strings.Repeat("1", 40), "t")
			if seen.Load() != "Bearer "+token {
				t.Fatalf("the token was not sent but %v", seen.Load())
			}
			for _, err := range []error{read, err} {
				for e := err; e != nil; e = errors.Unwrap(e) {
					text := e.Error() + strings.Join(fault.HintsOf(e), " ")
					if strings.Contains(text, "0123456789") || strings.Contains(text, "ghp_") {
						t.Errorf("%q", text)
					}
				}
			}
		})
	}
}
