package github

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	api "github.com/google/go-github/v62/github"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// publicAPI is where GitHub itself answers.
const publicAPI = "https://api.github.com/"

// userAgent is what every request calls itself; GitHub refuses one without.
const userAgent = "patch-git"

// Options are what a client needs. HTTP and Now have no default.
type Options struct {
	API   string // "" is https://api.github.com; http is for loopback alone
	HTTP  *http.Client
	Token string // "" asks as anybody
	Now   func() time.Time
	// Sleep waits; nil is a timer that ends with the context.
	Sleep func(context.Context, time.Duration) error
	// Wait is told before each wait why it is made; nil is silence. It gets no
	// foreign text.
	Wait func(why string, d time.Duration)
}

// Client asks GitHub with one token. It may be used by several goroutines.
type Client struct {
	gh    *api.Client
	wire  *wire
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

// New makes a client; it asks nothing yet. Errors are Usage: an address that
// the token must not be sent to (reason "api"), a token that is none ("token").
func New(o Options) (*Client, error) {
	if o.HTTP == nil || o.Now == nil {
		return nil, fault.New(fault.Internal, "github", "a GitHub client needs an HTTP client and a clock")
	}
	base, err := parseAPI(o.API)
	if err != nil {
		return nil, err
	}
	if o.Token != "" {
		if err := checkToken(o.Token); err != nil {
			return nil, err
		}
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Wait == nil {
		o.Wait = func(string, time.Duration) {}
	}
	below := o.HTTP.Transport
	if below == nil {
		below = http.DefaultTransport
	}
	w := &wire{below: below, base: base, token: o.Token, now: o.Now, sleep: o.Sleep, wait: o.Wait}
	// The time of a request is bounded by the wire, attempt by attempt: a limit
	// over all of them would end the waits that GitHub asks for. Cookies are none
	// of a program's.
	gh := api.NewClient(&http.Client{Transport: w, CheckRedirect: w.redirect})
	gh.BaseURL, gh.UserAgent = base, userAgent
	return &Client{gh: gh, wire: w, now: o.Now, sleep: o.Sleep}, nil
}

// parseAPI reads the address of the interface, which gets the token.
func parseAPI(s string) (*url.URL, error) {
	if s == "" {
		s = publicAPI
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Opaque != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, fault.New(fault.Usage, "api", "%s is no address of GitHub's interface", spec.Quote(s))
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, fault.New(fault.Usage, "api", "the address of GitHub's interface has to begin with https, and %s does not", spec.Quote(s))
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}

// loopback is an address that never leaves this machine. A name could.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// sleep waits for d or for the end of the context.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
