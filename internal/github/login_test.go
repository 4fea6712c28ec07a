package github_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

func TestFindToken(t *testing.T) {
	t.Parallel()
	gh := func(out string, err error) func(context.Context, []string) ([]byte, error) {
		return func(_ context.Context, argv []string) ([]byte, error) {
			if got := strings.Join(argv, " "); got != "gh auth token --hostname github.com" {
				t.Errorf("ran %s", got)
			}
			return []byte(out), err
		}
	}
	for name, tc := range map[string]struct {
		env         map[string]string
		run         func(context.Context, []string) ([]byte, error)
		token, from string
		kind        fault.Kind
	}{
		"GITHUB_TOKEN first":  {map[string]string{"GITHUB_TOKEN": "a", "GH_TOKEN": "b"}, gh("c", nil), "a", "GITHUB_TOKEN", 0},
		"then GH_TOKEN":       {map[string]string{"GITHUB_TOKEN": " ", "GH_TOKEN": "b"}, gh("c", nil), "b", "GH_TOKEN", 0},
		"then gh":             {nil, gh("gho_c\n", nil), "gho_c", "gh auth token", 0},
		"gh is not logged in": {nil, gh("", errors.New("exit 1")), "", "", fault.Denied},
		"gh says nonsense":    {nil, gh("one\ntwo", nil), "", "", fault.Unavailable},
		"gh says nothing":     {nil, gh("", nil), "", "", fault.Unavailable},
		"gh is not asked":     {nil, nil, "", "", fault.Denied},
		"no token in there":   {map[string]string{"GITHUB_TOKEN": "hunter2 hunter3"}, gh("c", nil), "", "", fault.Usage},
		"far too long":        {map[string]string{"GH_TOKEN": strings.Repeat("hunter2", 1000)}, gh("c", nil), "", "", fault.Usage},
	} {
		token, from, err := github.FindToken(t.Context(), func(name string) string { return tc.env[name] }, tc.run)
		if token != tc.token || from != tc.from || (err != nil) != (tc.token == "") {
			t.Errorf("%s: got %q from %q, %v", name, token, from, err)
		}
		if err != nil {
			refused(t, err, tc.kind, "token")
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := github.FindToken(ctx, func(string) string { return "" }, gh("", errors.New("killed"))); fault.KindOf(err) != fault.Interrupted {
		t.Errorf("got %v", err)
	}
}

// login runs the device flow against a double.
func login(st *stage, change func(*github.DeviceOptions)) (token string, shown []string, waits []time.Duration, err error) {
	o := github.DeviceOptions{
		Base: st.base, HTTP: &http.Client{}, ClientID: "client", Scopes: []string{"public_repo"}, Now: func() time.Time { return st.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			st.now = st.now.Add(d)
			waits = append(waits, d)
			return ctx.Err()
		},
		Show: func(code, address string) error {
			shown = append(shown, code, address)
			return nil
		},
	}
	change(&o)
	token, err = github.Device(st.t.Context(), o)
	return token, shown, waits, err
}

func TestDevice(t *testing.T) {
	const s = time.Second
	for name, tc := range map[string]struct {
		answers []string
		waits   []time.Duration
		kind    fault.Kind // 0: a token
	}{
		"at once":          {nil, []time.Duration{5 * s}, 0},
		"pending":          {[]string{"authorization_pending", "authorization_pending"}, []time.Duration{5 * s, 5 * s, 5 * s}, 0},
		"slow down":        {[]string{"slow_down", "slow_down", "authorization_pending"}, []time.Duration{5 * s, 10 * s, 15 * s, 15 * s}, 0},
		"expired":          {[]string{"authorization_pending", "expired_token"}, []time.Duration{5 * s, 5 * s}, fault.Denied},
		"denied":           {[]string{"access_denied"}, []time.Duration{5 * s}, fault.Denied},
		"switched off":     {[]string{"device_flow_disabled"}, []time.Duration{5 * s}, fault.Unavailable},
		"an unknown error": {[]string{"\x1b[31mevil"}, []time.Duration{5 * s}, fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStage(t)
			st.gh.Login("client", "bob", tc.answers...)
			token, shown, waits, err := login(st, func(*github.DeviceOptions) {})
			same(t, "shown", shown, []string{"WDJB-MJHT", st.base + "login/device"})
			same(t, "waits", waits, tc.waits)
			if tc.kind != 0 {
				refused(t, err, tc.kind, "login")
				if token != "" || strings.Contains(err.Error(), "\x1b") {
					t.Errorf("got %q, %v", token, err)
				}
				return
			}
			ok(t, err)
			who, err := st.client(token).Viewer(t.Context())
			if ok(t, err); who.Login != "bob" {
				t.Errorf("the token is %s's", who.Login)
			}
		})
	}
}

func TestDeviceNobodyTypes(t *testing.T) {
	st := newStage(t)
	st.gh.Login("client", "bob", strings.Split(strings.Repeat("authorization_pending ", 1000), " ")...)
	began := st.now
	_, _, _, err := login(st, func(*github.DeviceOptions) {})
	refused(t, err, fault.Denied, "login")
	if d := st.now.Sub(began); d >= 900*time.Second || d < 800*time.Second {
		t.Errorf("waited %v for a code of 900 s", d)
	}
}

func TestDeviceThroughFaults(t *testing.T) {
	st := newStage(t)
	st.gh.Login("client", "bob")
	f := githubtest.BadGateway().On(http.MethodPost, "/login/oauth/access_token")
	f.Times = 2
	st.gh.Fail(f)
	_, _, _, err := login(st, func(*github.DeviceOptions) {})
	ok(t, err)
	f.Times = 3
	st.gh.Fail(f)
	_, _, _, err = login(st, func(*github.DeviceOptions) {})
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	_, _, _, err = login(st, func(o *github.DeviceOptions) { o.ClientID = "unknown" })
	refused(t, err, fault.Denied, "login")
	stop := errors.New("no terminal")
	_, _, waits, err := login(st, func(o *github.DeviceOptions) { o.Show = func(string, string) error { return stop } })
	if !errors.Is(err, stop) || waits != nil {
		t.Errorf("got %v after %v", err, waits)
	}
}

// What the person is shown is GitHub's, or nothing is shown.
func TestDeviceAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"another site":     `{"device_code":"d","user_code":"AB-12","verification_uri":"https://evil.example/login","expires_in":900}`,
		"a person in it":   `{"device_code":"d","user_code":"AB-12","verification_uri":"http://127.0.0.1@evil.example/","expires_in":900}`,
		"an escape":        `{"device_code":"d","user_code":"\u001b[2J","verification_uri":"SITElogin/device","expires_in":900}`,
		"words":            `{"device_code":"d","user_code":"type your password","verification_uri":"SITElogin/device","expires_in":900}`,
		"bidi":             `{"device_code":"d","user_code":"AB-12","verification_uri":"SITElogin/\u202edevice","expires_in":900}`,
		"no time":          `{"device_code":"d","user_code":"AB-12","verification_uri":"SITElogin/device"}`,
		"no code":          `{"user_code":"AB-12","verification_uri":"SITElogin/device","expires_in":900}`,
		"no json":          `device_code=d&user_code=AB-12`,
		"endless":          `{"device_code":"` + strings.Repeat("d", 1<<17) + `"}`,
		"a proper answer":  `{"device_code":"d","user_code":"AB-12","verification_uri":"SITElogin/device","expires_in":900}`,
		"and an odd token": `{"device_code":"d","user_code":"AB-12","verification_uri":"SITElogin/device","expires_in":900,"access_token":"a b"}`,
	} {
		t.Run(name, func(t *testing.T) {
			var site string
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/login/oauth/access_token" && name == "a proper answer" {
					_, _ = w.Write([]byte(`{"access_token":"gho_x"}`))
					return
				}
				_, _ = w.Write([]byte(strings.ReplaceAll(body, "SITE", site)))
			}))
			defer srv.Close()
			site = srv.URL + "/"
			shown := false
			token, err := github.Device(t.Context(), github.DeviceOptions{
				Base: site, HTTP: srv.Client(), ClientID: "c", Now: time.Now,
				Sleep: func(context.Context, time.Duration) error { return nil },
				Show:  func(string, string) error { shown = true; return nil },
			})
			switch name {
			case "a proper answer":
				if ok(t, err); token != "gho_x" || !shown {
					t.Errorf("got %q", token)
				}
			case "and an odd token":
				refused(t, err, fault.Unavailable, "login")
			default:
				if err == nil || shown || token != "" {
					t.Errorf("shown %v, token %q, %v", shown, token, err)
				}
			}
		})
	}
}
