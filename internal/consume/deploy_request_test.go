package consume

import (
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/usernet"
	"github.com/patch-cat/patch-git/spec"
)

// heard is what a server of a test heard.
type heard struct {
	method, path, auth, body string
	times                    int
}

// hearing is what the server heard last, while it may still be hearing.
type hearing struct {
	mu sync.Mutex
	is heard
}

func (h *hearing) last() heard {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.is
}

func (h *hearing) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.is = heard{}
}

func listen(t *testing.T, status int) (*httptest.Server, *hearing) {
	h := &hearing{}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		h.is = heard{r.Method, r.URL.Path, r.Header.Get("Authorization"), string(body), h.is.times + 1}
		h.mu.Unlock()
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		case "/slow":
			time.Sleep(300 * time.Millisecond)
		case "/long":
			_, _ = w.Write(make([]byte, 2<<20))
		default:
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"auth":"`+r.Header.Get("Authorization")+`"}`)
		}
	}))
	t.Cleanup(s.Close)
	return s, h
}

func deployedTo(t *testing.T, s *httptest.Server, d spec.Deployment, env map[string]string, allowed bool) *deployedTool {
	t.Helper()
	var net []usernet.Exception
	if allowed {
		u, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		e, err := usernet.ParseException(u.Host)
		if err != nil {
			t.Fatal(err)
		}
		net = append(net, e)
	}
	tool := &deployedTool{
		c:    &Client{Host: &host.Host{HTTP: s.Client, Now: time.Now}},
		tool: &spec.Tool{Name: "mail", Deployment: &d}, env: env, net: net,
	}
	for _, e := range d.Env {
		if e.Secret {
			tool.secrets = append(tool.secrets, env[e.Name])
		}
	}
	return tool
}

// TestKillURL: which answers are a yes, and with which credentials the server is asked.
func TestKillURL(t *testing.T) {
	key := []spec.EnvVar{{Name: "API_KEY", Secret: true}}
	two := append([]spec.EnvVar{{Name: "OTHER", Secret: true}}, key...)
	header := []spec.Header{{Name: "Authorization", Value: "Key ${API_KEY}"}}
	for _, tt := range []struct {
		name, path string
		status     int
		env        []spec.EnvVar
		smoke      bool // with the headers of the smoke test
		elsewhere  bool // which is of another server
		allowed    bool
		auth       string
		kind       fault.Kind
		times      int
	}{
		{name: "one secret", status: 204, env: key, allowed: true, auth: "Bearer " + canary, times: 1},
		{name: "the headers of its smoke test", status: 200, env: two, smoke: true, allowed: true, auth: "Key " + canary, times: 1},
		{name: "those of another server are not taken", status: 200, env: two, smoke: true, elsewhere: true, allowed: true, auth: "", times: 1},
		{name: "several secrets, and none is named", status: 200, env: two, allowed: true, auth: "", times: 1},
		{name: "done before", status: 404, env: key, allowed: true, auth: "Bearer " + canary, times: 1},
		{name: "gone", status: 410, env: key, allowed: true, auth: "Bearer " + canary, times: 1},
		{name: "not believed", status: 401, env: key, allowed: true, auth: "Bearer " + canary, kind: fault.ToolFailed, times: 1},
		{name: "out of order", status: 500, env: key, allowed: true, auth: "Bearer " + canary, kind: fault.ToolFailed, times: 1},
		{name: "led away", path: "/away", status: 200, env: key, allowed: true, auth: "Bearer " + canary, kind: fault.ToolFailed, times: 1},
		{name: "this machine, and nobody said so", status: 200, env: key, kind: fault.Denied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, h := listen(t, tt.status)
			d := spec.Deployment{Env: tt.env}
			if tt.smoke {
				d.Smoke = spec.Smoke{Kind: "http", URL: s.URL + "/health", Headers: header}
			}
			if tt.elsewhere {
				d.Smoke.URL = "https://mail.example.org/health"
			}
			tool := deployedTo(t, s, d, map[string]string{"API_KEY": canary, "OTHER": "o"}, tt.allowed)
			says, err := tool.killURL(t.Context(), s.URL+tt.path)
			if (err != nil) != (tt.kind != 0) || err != nil && fault.KindOf(err) != tt.kind {
				t.Errorf("%q %v", says, err)
			}
			if h := h.last(); h.times != tt.times || h.auth != tt.auth || h.times > 0 && h.method != http.MethodDelete {
				t.Errorf("the server heard %+v", h)
			}
			if strings.Contains(says, canary) || err != nil && strings.Contains(err.Error(), canary) {
				t.Errorf("the secret is told: %q %v", says, err)
			}
		})
	}
}

// TestSmokeHTTP: the request as it is made, and what it is held to.
func TestSmokeHTTP(t *testing.T) {
	s, h := listen(t, 200)
	env := map[string]string{"API_KEY": canary, "BREAK": "x\r\nX: y"}
	d := spec.Deployment{Env: []spec.EnvVar{{Name: "API_KEY", Secret: true}}}
	plain := "http" + strings.TrimPrefix(s.URL, "https")
	for _, tt := range []struct {
		name    string
		smoke   spec.Smoke
		allowed bool
		reason  string
	}{
		{"as it should be", spec.Smoke{Method: "POST", URL: s.URL + "/x", Headers: []spec.Header{{Name: "Authorization", Value: "Bearer ${API_KEY}"}}, Body: `{"k":"${API_KEY}"}`}, true, ""},
		{"nobody said that it may", spec.Smoke{URL: s.URL + "/x"}, false, "address"},
		{"over http", spec.Smoke{URL: "http://mail.example.org/x"}, true, "plain_http"},
		{"a file", spec.Smoke{URL: "file:///etc/passwd"}, true, "address"},
		{"with a password", spec.Smoke{URL: "https://a:b@mail.example.org"}, true, "address"},
		{"a header of another host", spec.Smoke{URL: s.URL, Headers: []spec.Header{{Name: "Host", Value: "evil.example.org"}}}, true, "address"},
		{"a value that is not there", spec.Smoke{URL: s.URL, Body: "${NOBODY}"}, true, "unknown_token"},
		{"a value that would be another header", spec.Smoke{URL: s.URL, Headers: []spec.Header{{Name: "A", Value: "${BREAK}"}}}, true, "bad_value"},
		{"too slow", spec.Smoke{URL: s.URL + "/slow"}, true, "timeout"},
		{"too long", spec.Smoke{URL: s.URL + "/long"}, true, "limits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.forget()
			tool := deployedTo(t, s, d, env, tt.allowed)
			reply, err := tool.http(t.Context(), tt.smoke, 150*time.Millisecond)
			if fault.ReasonOf(err) != tt.reason {
				t.Fatalf("%v", err)
			}
			if err != nil {
				if h := h.last(); h.times > 0 && tt.reason != "timeout" && tt.reason != "limits" {
					t.Errorf("the server heard %+v", h)
				}
				return
			}
			if h := h.last(); h.method != "POST" || h.auth != "Bearer "+canary || h.body != `{"k":"`+canary+`"}` || *reply.Status != 200 {
				t.Errorf("the server heard %+v", h)
			}
		})
	}
	// To a server that the person named, http is what they said.
	tool := deployedTo(t, s, d, env, true)
	if _, err := tool.http(t.Context(), spec.Smoke{URL: plain}, time.Second); fault.ReasonOf(err) == "plain_http" {
		t.Errorf("the twin: %v", err)
	}
	// Where a server leads elsewhere, that is its answer.
	if reply, err := tool.http(t.Context(), spec.Smoke{URL: s.URL + "/away"}, time.Second); err != nil || *reply.Status != http.StatusTemporaryRedirect || h.last().path != "/away" {
		t.Errorf("%+v %v", reply, err)
	}
	// What is said of a failure holds no secret.
	if got := tool.strike("x " + canary + " y"); strings.Contains(got, canary) {
		t.Error(got)
	}
}

// TestStrike: what a smoke run or a kill switch says of its failure is shown, recorded and
// in --json, and a tool that repeats its secret in another spelling is told of no more.
func TestStrike(t *testing.T) {
	const secret = `canary-77 "x" & ü`
	d := &deployedTool{secrets: []string{secret, "ab"}}
	for name, text := range map[string]string{
		"as it is": secret, "base64": base64.StdEncoding.EncodeToString([]byte(secret)), "hex": hex.EncodeToString([]byte(secret)),
		"in an address": url.QueryEscape(secret), "in a path": url.PathEscape(secret), "quoted": strings.Trim(strconv.Quote(secret), `"`), "in ASCII": spec.Quote(secret),
	} {
		if got := d.strike("exit 1: <" + text + ">"); strings.Contains(got, strings.Trim(text, `"`)) || !strings.HasPrefix(got, "exit 1: <") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := d.strike("exit 1: nothing"); got != "exit 1: nothing" {
		t.Errorf("the twin: %s", got)
	}
}
