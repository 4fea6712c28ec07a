package github

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// publicSite is where a person logs in.
const publicSite = "https://github.com/"

// DeviceOptions are what the device flow needs. HTTP, Now, ClientID and Show
// have no default.
type DeviceOptions struct {
	Base     string // "" is https://github.com; http is for loopback alone
	HTTP     *http.Client
	ClientID string   // of the OAuth application; it is public
	Scopes   []string // "public_repo"
	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error // nil is a timer
	// Show tells the person which code to type at which address. Both were
	// checked: a code is letters, digits and dashes, the address is of Base.
	Show func(code, address string) error
}

// deviceCode is GitHub's answer to the request for a code.
type deviceCode struct {
	DeviceCode string `json:"device_code"`
	UserCode   string `json:"user_code"`
	Address    string `json:"verification_uri"`
	Expires    int64  `json:"expires_in"` // seconds
	Interval   int64  `json:"interval"`   // seconds
}

// deviceToken is GitHub's answer to the question whether the person has agreed.
type deviceToken struct {
	Token    string `json:"access_token"`
	Error    string `json:"error"`
	Interval int64  `json:"interval"`
}

// Device lets a person log in on another screen (RFC 8628): it asks GitHub for
// a code, has it shown, and asks until the person has typed it. Errors are
// Denied, reason "login", where the person said no or was too late.
func Device(ctx context.Context, o DeviceOptions) (string, error) {
	if o.HTTP == nil || o.Now == nil || o.Show == nil || o.ClientID == "" {
		return "", fault.New(fault.Internal, "login", "the device flow needs an HTTP client, a clock, an application and a person")
	}
	site := o.Base
	if site == "" {
		site = publicSite
	}
	base, err := parseAPI(site)
	if err != nil {
		return "", err
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	d := &device{o: o, base: base, http: &http.Client{
		Transport: o.HTTP.Transport,
		Timeout:   limits.HTTPTimeout,
		// Nothing of this flow is ever moved, and what is sent is secret.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	var code deviceCode
	if err := d.post(ctx, "login/device/code", url.Values{"client_id": {o.ClientID}, "scope": {strings.Join(o.Scopes, " ")}}, &code); err != nil {
		return "", err
	}
	if err := code.check(base); err != nil {
		return "", err
	}
	if err := o.Show(code.UserCode, code.Address); err != nil {
		return "", err
	}
	return d.wait(ctx, code)
}

type device struct {
	o    DeviceOptions
	base *url.URL
	http *http.Client
}

// wait asks for the token, as often as GitHub allows, until the code is too old.
func (d *device) wait(ctx context.Context, code deviceCode) (string, error) {
	interval := seconds(max(code.Interval, 5)) // RFC 8628 §3.5: 5 where none is given
	end := d.o.Now().Add(seconds(code.Expires))
	for failed := 0; ; {
		if !d.o.Now().Add(interval).Before(end) {
			return "", fault.New(fault.Denied, "login", "nobody typed the code in time").Hint("run the same command again")
		}
		if err := d.o.Sleep(ctx, interval); err != nil {
			return "", err
		}
		var got deviceToken
		err := d.post(ctx, "login/oauth/access_token", url.Values{
			"client_id":   {d.o.ClientID},
			"device_code": {code.DeviceCode},
			"grant_type":  {"urn:ietf:params:oauth:grant-type:device_code"},
		}, &got)
		if err != nil {
			// The person may be typing: one lost question is asked again.
			if failed++; failed >= limits.HTTPAttempts || fault.KindOf(err) != fault.Unavailable {
				return "", err
			}
			continue
		}
		failed = 0
		switch {
		case got.Error == "" && checkToken(got.Token) == nil:
			return got.Token, nil
		case got.Error == "authorization_pending":
		case got.Error == "slow_down":
			interval = max(interval+5*time.Second, seconds(got.Interval))
		case got.Error == "expired_token":
			return "", fault.New(fault.Denied, "login", "nobody typed the code in time").Hint("run the same command again")
		case got.Error == "access_denied":
			return "", fault.New(fault.Denied, "login", "the login was refused in the browser")
		case got.Error != "":
			return "", fault.New(fault.Unavailable, "login", "GitHub ends the login: %s", spec.Quote(got.Error))
		default:
			return "", fault.New(fault.Unavailable, "login", "GitHub sent no token")
		}
	}
}

// post sends a form and decodes the answer. No message repeats what was sent or
// answered: both hold secrets.
func (d *device) post(ctx context.Context, path string, form url.Values, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base.JoinPath(path).String(), strings.NewReader(form.Encode()))
	if err != nil {
		return fault.New(fault.Internal, "login", "ask GitHub for a login: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", userAgent)
	resp, err := d.http.Do(req)
	if err != nil {
		if cause := ctx.Err(); cause != nil {
			return cause
		}
		return fault.New(fault.Unavailable, "network", "ask GitHub for a login: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, limits.GitHubLogin+1))
	switch {
	case err != nil:
		return fault.New(fault.Unavailable, "network", "ask GitHub for a login: %w", err)
	case resp.StatusCode == http.StatusNotFound:
		return fault.New(fault.Denied, "login", "GitHub does not know this application, or lets nobody log in to it by a code")
	case resp.StatusCode != http.StatusOK:
		return fault.New(fault.Unavailable, "login", "GitHub answered %d to the login", resp.StatusCode)
	case len(body) > limits.GitHubLogin:
		return fault.New(fault.Unavailable, "login", "GitHub's answer to the login is too long")
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(into); err != nil {
		return fault.New(fault.Unavailable, "login", "GitHub's answer to the login cannot be read")
	}
	return nil
}

// check holds the answer to what a person can be shown and led to.
func (c deviceCode) check(base *url.URL) error {
	address, err := url.Parse(c.Address)
	if err != nil || address.Scheme != base.Scheme || address.Host != base.Host || address.User != nil {
		return fault.New(fault.NotVerified, "login", "GitHub leads to another site for the login: %s", spec.Quote(c.Address))
	}
	if c.DeviceCode == "" || len(c.UserCode) == 0 || len(c.UserCode) > 32 || c.Expires <= 0 {
		return fault.New(fault.Unavailable, "login", "GitHub's answer to the login cannot be read")
	}
	for _, r := range c.UserCode + c.Address {
		if r <= ' ' || r > '~' {
			return fault.New(fault.Unavailable, "login", "GitHub's answer to the login cannot be read")
		}
	}
	for _, r := range c.UserCode {
		if (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' {
			return fault.New(fault.Unavailable, "login", "GitHub's code cannot be read")
		}
	}
	return nil
}
