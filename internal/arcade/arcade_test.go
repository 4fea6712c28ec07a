package arcade_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/arcade"
	"github.com/patch-cat/patch-git/internal/arcade/arcadetest"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

func client(t *testing.T, base string) *arcade.Client {
	t.Helper()
	c, err := arcade.New(base, "ada@example.com", arcadetest.Key)
	if err != nil {
		t.Fatal(err)
	}
	return arcade.NewClient(c, &http.Client{Transport: &http.Transport{}}, time.Now)
}

var call = arcade.Call{Tool: "Math.Add", Version: "1.0.0", Input: json.RawMessage(`{"a":"1"}`)}

func TestExecuteModes(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		mode arcade.Mode
		want string
	}{
		"value":              {arcadetest.Value(`{"sum":3}`), arcade.ModeValue, `{"sum":3}`},
		"value text":         {arcadetest.Value(`"3"`), arcade.ModeValue, `"3"`},
		"value null":         {arcadetest.Value(`null`), arcade.ModeNull, `null`},
		"no output":          {`{"success":true}`, arcade.ModeNull, `null`},
		"output null":        {`{"success":true,"output":null}`, arcade.ModeNull, `null`},
		"error":              {arcadetest.Failed("TOOL_RUNTIME_FATAL", "no such number"), arcade.ModeError, "no such number"},
		"error beside null":  {`{"success":false,"output":{"value":null,"error":{"message":"no","kind":"UNKNOWN","can_retry":false},"authorization":null}}`, arcade.ModeError, "no"},
		"account":            {arcadetest.NeedsAccount("pending", "https://github.com/login", "repo"), arcade.ModeAuthorize, "https://github.com/login"},
		"account, specified": {`{"success":false,"output":{"requires_authorization":{"id":"a","status":"pending","url":"https://a.example"}}}`, arcade.ModeAuthorize, "https://a.example"},
		"account done":       {`{"success":true,"output":{"value":1,"authorization":{"id":"a","status":"completed"}}}`, arcade.ModeValue, `1`},
		"artifact":           {`{"success":true,"output":{"artifact":{"url":"https://a.example/x","content_type":"text/csv","size":12,"meta":{"description":"rows"}}}}`, arcade.ModeArtifact, "https://a.example/x"},
	} {
		t.Run(name, func(t *testing.T) {
			engine := arcadetest.New(t)
			engine.Executes(arcadetest.Reply{Body: c.body})
			got, err := client(t, engine.URL).Execute(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			said := string(got.Value)
			switch got.Mode {
			case arcade.ModeError:
				said = got.Failure.Message
			case arcade.ModeAuthorize:
				said = got.Authorization.URL
			case arcade.ModeArtifact:
				said = got.Artifact.URL
			}
			if got.Mode != c.mode || said != c.want {
				t.Errorf("got %s %s, want %s %s", got.Mode, said, c.mode, c.want)
			}
			if all := fmt.Sprintf("%+v %+v", got, got.Authorization); strings.Contains(all, "gho_token") {
				t.Errorf("the token of the account is held: %s", all)
			}
		})
	}
}

func TestExecuteAsks(t *testing.T) {
	engine := arcadetest.New(t)
	if _, err := client(t, engine.URL+"/v1/").Execute(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	got := engine.Requests()
	if len(got) != 1 || got[0].Path != "/v1/tools/execute" {
		t.Fatalf("got %+v", got)
	}
	body, _ := json.Marshal(got[0].Body)
	if want := `{"input":{"a":"1"},"tool_name":"Math.Add","tool_version":"1.0.0","user_id":"ada@example.com"}`; string(body) != want {
		t.Errorf("got %s, want %s", body, want)
	}
}

// What is no answer: a "no", or nobody can tell, and then whether the tool may have
// run.
func TestExecuteRefused(t *testing.T) {
	const nobody = "nobody can tell whether the tool ran"
	for name, c := range map[string]struct {
		reply  arcadetest.Reply
		kind   fault.Kind
		reason string
		ran    bool
	}{
		"bad request":     {arcadetest.Reply{Status: 400, Body: `{"name":"bad","message":"no \u001b[31msuch input"}`}, fault.Usage, "arcade_request", false},
		"forbidden":       {arcadetest.Reply{Status: 403, Body: `{}`}, fault.Denied, "arcade_forbidden", false},
		"not found":       {arcadetest.Reply{Status: 404, Body: `{}`}, fault.NotFound, "arcade_not_found", false},
		"conflict":        {arcadetest.Reply{Status: 409, Body: `{}`}, fault.Denied, "arcade_conflict", false},
		"busy":            {arcadetest.Reply{Status: 429, Header: map[string]string{"Retry-After": "7"}}, fault.Unavailable, "arcade_busy", false},
		"broken":          {arcadetest.Reply{Status: 500, Body: `<html>`}, fault.Unavailable, "arcade_failed", true},
		"gateway":         {arcadetest.Reply{Status: 504}, fault.Unavailable, "arcade_failed", true},
		"created":         {arcadetest.Reply{Status: 201, Body: arcadetest.Value("1")}, fault.Usage, "arcade_request", false},
		"redirect":        {arcadetest.Reply{Status: 307, Header: map[string]string{"Location": "/v1/tools/execute"}}, fault.Denied, "arcade_redirect", false},
		"no json":         {arcadetest.Reply{Body: `hello`}, fault.Unavailable, "arcade_answer", true},
		"html":            {arcadetest.Reply{Header: map[string]string{"Content-Type": "text/html"}, Body: arcadetest.Value("1")}, fault.Unavailable, "arcade_answer", true},
		"list":            {arcadetest.Reply{Body: `[]`}, fault.Unavailable, "arcade_answer", true},
		"no success":      {arcadetest.Reply{Body: `{"output":{"value":1}}`}, fault.Unavailable, "arcade_answer", true},
		"success text":    {arcadetest.Reply{Body: `{"success":"true","output":{"value":1}}`}, fault.Unavailable, "arcade_answer", true},
		"two successes":   {arcadetest.Reply{Body: `{"success":false,"success":true,"output":{"value":1}}`}, fault.Unavailable, "arcade_answer", true},
		"contradiction":   {arcadetest.Reply{Body: `{"success":false,"output":{"value":1}}`}, fault.Unavailable, "arcade_answer", true},
		"happy error":     {arcadetest.Reply{Body: `{"success":true,"output":{"error":{"message":"x"}}}`}, fault.Unavailable, "arcade_answer", true},
		"value and error": {arcadetest.Reply{Body: `{"success":true,"output":{"value":1,"error":{"message":"x"}}}`}, fault.Unavailable, "arcade_answer", true},
		"silent failure":  {arcadetest.Reply{Body: `{"success":false,"output":{}}`}, fault.Unavailable, "arcade_answer", true},
		"unknown status":  {arcadetest.Reply{Body: arcadetest.NeedsAccount("maybe", "https://a.example")}, fault.Unavailable, "arcade_answer", true},
		"cut off": {arcadetest.Reply{Act: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"success":`))
		}}, fault.Unavailable, "arcade_unreachable", true},
		"flood": {arcadetest.Reply{Act: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			block := []byte(strings.Repeat("[", 1<<20))
			for range limits.ArcadeAnswer/len(block) + 2 {
				_, _ = w.Write(block)
			}
		}}, fault.Unavailable, "arcade_answer", true},
		"hang up": {arcadetest.Reply{Act: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}, fault.Unavailable, "arcade_unreachable", true},
	} {
		t.Run(name, func(t *testing.T) {
			engine := arcadetest.New(t)
			engine.Executes(c.reply)
			got, err := client(t, engine.URL).Execute(t.Context(), call)
			if err == nil {
				t.Fatalf("got %+v, want an error", got)
			}
			if fault.KindOf(err) != c.kind || fault.ReasonOf(err) != c.reason || strings.Contains(err.Error(), nobody) != c.ran {
				t.Errorf("got %v %s: %v", fault.KindOf(err), fault.ReasonOf(err), err)
			}
			if strings.ContainsAny(err.Error(), "\x1b\n") || strings.Contains(err.Error(), arcadetest.Key) {
				t.Errorf("the message is %q", err)
			}
			if wait, ok := arcade.RetryAfter(err); ok != (name == "busy") || ok && wait != 7*time.Second {
				t.Errorf("asks to wait %v, %v", wait, ok)
			}
			if len(engine.Requests()) != 1 {
				t.Errorf("asked %d times", len(engine.Requests()))
			}
			// The twin: the same call, answered as it should be.
			engine.Executes(arcadetest.Reply{Body: arcadetest.Value("1")})
			if got, err := client(t, engine.URL).Execute(t.Context(), call); err != nil || string(got.Value) != "1" {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// A server that sends us to another host gets the key, the other one nothing.
func TestRedirectKeepsKey(t *testing.T) {
	asked := 0
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer thief.Close()
	engine := arcadetest.New(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		engine.Executes(arcadetest.Reply{Status: status, Header: map[string]string{"Location": thief.URL}})
		if _, err := client(t, engine.URL).Execute(t.Context(), call); fault.ReasonOf(err) != "arcade_redirect" {
			t.Errorf("%d: got %v", status, err)
		}
	}
	if asked != 0 {
		t.Errorf("the other host was asked %d times", asked)
	}
}

// A wrong key, and a server that repeats it.
func TestKeyIsNotRepeated(t *testing.T) {
	engine := arcadetest.New(t)
	const key = "arc_wrong_key_0987654321"
	c, err := arcade.New(engine.URL, "ada@example.com", key)
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(s, key) {
		t.Errorf("the configuration prints the key: %s", s)
	}
	_, err = arcade.NewClient(c, http.DefaultClient, time.Now).Execute(t.Context(), call)
	if fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != "arcade_key" {
		t.Errorf("got %v", err)
	}
	engine.Executes(arcadetest.Reply{Status: 403, Body: `{"message":"key ` + arcadetest.Key + ` may not"}`})
	if _, err = client(t, engine.URL).Execute(t.Context(), call); err == nil || strings.Contains(err.Error(), arcadetest.Key) {
		t.Errorf("got %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	engine := arcadetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	engine.Executes(arcadetest.Reply{Act: func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() }})
	if _, err := client(t, engine.URL).Execute(ctx, call); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// An engine that takes a call and says nothing: nobody can tell whether the tool ran.
func TestSilence(t *testing.T) {
	engine := arcadetest.New(t)
	engine.Executes(arcadetest.Reply{Act: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }})
	_, err := client(t, engine.URL).Within(30*time.Millisecond).Execute(t.Context(), call)
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "no answer in time\"; nobody can tell whether the tool ran") {
		t.Errorf("got %v", err)
	}
	// The twin: it is late, and in time.
	engine.Executes(arcadetest.Reply{Act: func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Millisecond)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(arcadetest.Value("1")))
	}})
	if _, err := client(t, engine.URL).Within(5*time.Second).Execute(t.Context(), call); err != nil {
		t.Error(err)
	}
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		base, user, key, reason string
	}{
		{"", "ada", "k", ""},
		{"https://arcade.example/engine/", "ada", "k", ""},
		{"http://127.0.0.1:9099", "ada", "k", ""},
		{"http://[::1]:9099", "ada", "k", ""},
		{"http://arcade.example", "ada", "k", "arcade_config"},
		{"http://localhost:9099", "ada", "k", "arcade_config"},
		{"https://u:p@arcade.example", "ada", "k", "arcade_config"},
		{"https://arcade.example?key=1", "ada", "k", "arcade_config"},
		{"https://arcade.example#x", "ada", "k", "arcade_config"},
		{"file:///etc/passwd", "ada", "k", "arcade_config"},
		{"arcade.example", "ada", "k", "arcade_config"},
		{"", "", "k", "arcade_config"},
		{"", "a b", "k", "arcade_config"},
		{"", "ada\n", "k", "arcade_config"},
		{"", strings.Repeat("a", limits.ArcadeUser+1), "k", "arcade_config"},
		{"", "ada", "", "arcade_key"},
		{"", "ada", "k k", "arcade_config"},
		{"", "ada", "k\n", "arcade_config"},
		{"", "ada", strings.Repeat("k", limits.ArcadeKey+1), "arcade_config"},
	} {
		_, err := arcade.New(c.base, c.user, c.key)
		if fault.ReasonOf(err) != c.reason {
			t.Errorf("%q %q: got %v, want %q", c.base, c.user, err, c.reason)
		}
		if err != nil && strings.Contains(err.Error(), "key=1") {
			t.Errorf("the address is repeated: %v", err)
		}
	}
	if _, err := (&arcade.Client{}).Execute(t.Context(), call); fault.KindOf(err) != fault.Denied {
		t.Errorf("the zero value asks: %v", err)
	}
}

func TestAuthorize(t *testing.T) {
	engine := arcadetest.New(t)
	engine.Answers("POST /v1/tools/authorize", arcadetest.Reply{Body: `{"id":"au_1","status":"pending","url":"https://accounts.example/o?x=1","scopes":["mail"],"provider_id":"google","context":{"token":"secret"}}`})
	engine.Answers("GET /v1/auth/status", arcadetest.Reply{Body: `{"id":"au_1","status":"completed"}`})
	c := client(t, engine.URL)
	a, err := c.Authorize(t.Context(), "Gmail.Send", "")
	if err != nil || a.Status != arcade.StatusPending || a.URL != "https://accounts.example/o?x=1" || a.Provider != "google" || len(a.Scopes) != 1 {
		t.Fatalf("got %+v, %v", a, err)
	}
	if a, err = c.Authorized(t.Context(), a.ID, time.Hour); err != nil || a.Status != arcade.StatusCompleted {
		t.Errorf("got %+v, %v", a, err)
	}
	if got := engine.Requests()[1].Query; got != "id=au_1&wait=59" {
		t.Errorf("asked %s", got)
	}
	// An address that is no web page, or looks like another, is not shown.
	for _, u := range []string{"javascript:alert(1)", "http://accounts.example", "https://google.com@evil.example/", "https://a.example/\u202e", "file:///etc", ""} {
		body, _ := json.Marshal(map[string]any{"id": "x", "status": "pending", "url": u})
		engine.Answers("POST /v1/tools/authorize", arcadetest.Reply{Body: string(body)})
		if a, err := c.Authorize(t.Context(), "Gmail.Send", ""); err != nil || a.URL != "" {
			t.Errorf("%q: got %+v, %v", u, a, err)
		}
	}
	engine.Answers("GET /v1/auth/status", arcadetest.Reply{Body: `{"id":1}`})
	if _, err := c.Authorized(t.Context(), "au_1", 0); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}

const definition = `{"fully_qualified_name":"Math.Add@1.0.0","qualified_name":"Math.Add","name":"Add","description":"Add two numbers.",
 "toolkit":{"name":"Math","version":"1.0.0"},"input":{"parameters":[{"name":"a","value_schema":{"val_type":"string"}}]},
 "output":{"available_modes":["value"],"value_schema":{"val_type":"string"}},"requirements":{"met":true,"secrets":[{"key":"K","met":false}]}}`

func TestList(t *testing.T) {
	engine := arcadetest.New(t)
	engine.Answers("GET /v1/tools", arcadetest.Reply{Body: `{"items":[` + definition + `],"total_count":99999,"limit":100,"offset":0,"page_count":1}`})
	engine.Answers("GET /v1/tools/Math.Add", arcadetest.Reply{Body: definition})
	c := client(t, engine.URL)
	all, err := c.List(t.Context(), "Math")
	if err != nil || len(all) != 1 || all[0].Tool.Name != "math_add" || all[0].Arcade.Edition != "engine" {
		t.Fatalf("got %+v, %v", all, err)
	}
	one, err := c.Get(t.Context(), "Math.Add")
	if err != nil || one.Arcade.FQN != "Math.Add" || one.Arcade.Secrets[0] != "K" {
		t.Errorf("got %+v, %v", one, err)
	}
	if _, err := c.Get(t.Context(), ".."); fault.KindOf(err) != fault.Usage {
		t.Errorf("got %v", err)
	}
	engine.Answers("GET /v1/tools", arcadetest.Reply{Body: `{"items":[]}`})
	if all, err := c.List(t.Context(), ""); err != nil || len(all) != 0 {
		t.Errorf("got %+v, %v", all, err)
	}
	for _, body := range []string{`{"total_count":1}`, `{"items":{}}`, `[]`, `{"items":[1]}`} {
		engine.Answers("GET /v1/tools", arcadetest.Reply{Body: body})
		if all, err := c.List(t.Context(), ""); fault.ReasonOf(err) != "arcade_answer" && (len(all) != 1 || all[0].Arcade != nil) {
			t.Errorf("%s: got %+v, %v", body, all, err)
		}
	}
}
