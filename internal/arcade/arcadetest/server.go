// Package arcadetest is an engine of Arcade inside a test: it holds every request
// against what the engine's API documents, and answers as it is told.
package arcadetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Key is the key that the engine takes.
const Key = "arc_test_key_of_nobody_1234567890"

// Reply is one answer. The zero value is a success without output.
type Reply struct {
	Status int // 0 is 200
	Header map[string]string
	Body   string
	// Act, where it is not nil, answers instead of all that: it hangs, breaks off or
	// floods.
	Act func(w http.ResponseWriter, r *http.Request)
}

// Engine is the server.
type Engine struct {
	URL string

	mu       sync.Mutex
	execute  []Reply // in their order; the last one stays
	other    map[string]Reply
	requests []Request
	wrong    []string
}

// Request is one that came.
type Request struct {
	Method, Path, Query string
	Body                map[string]json.RawMessage
}

// New starts an engine that ends with the test, which fails where a request was not
// as the API documents it.
func New(tb testing.TB) *Engine {
	tb.Helper()
	e := Start()
	tb.Cleanup(func() {
		e.close()
		for _, w := range e.Wrong() {
			tb.Errorf("a request is not as documented: %s", w)
		}
	})
	return e.Engine
}

// Running is an engine that somebody ends.
type Running struct {
	*Engine

	close func()
}

// Close ends it.
func (r *Running) Close() { r.close() }

// Start starts an engine that is no part of a test.
func Start() *Running {
	e := &Engine{other: map[string]Reply{}}
	s := httptest.NewServer(e)
	e.URL = s.URL
	return &Running{e, s.Close}
}

// Executes sets what calls of tools are answered, in their order; the last answer
// stays.
func (e *Engine) Executes(replies ...Reply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.execute = replies
}

// Answers sets what another request is answered, such as "GET /v1/tools".
func (e *Engine) Answers(what string, r Reply) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.other[what] = r
}

// Requests are those that came, in their order.
func (e *Engine) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Request(nil), e.requests...)
}

// Wrong is what requests did that the API does not document.
func (e *Engine) Wrong() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.wrong...)
}

func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	got, wrong := check(r)
	e.mu.Lock()
	e.requests = append(e.requests, got)
	for _, text := range wrong {
		e.wrong = append(e.wrong, r.Method+" "+r.URL.Path+": "+text)
	}
	reply, known := e.reply(r)
	e.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != "Bearer "+Key:
		reply = Reply{Status: http.StatusUnauthorized, Body: `{"name":"unauthorized","message":"invalid API key"}`}
	case !known:
		reply = Reply{Status: http.StatusNotFound, Body: `{"name":"not_found","message":"no such thing"}`}
	case reply.Act != nil:
		reply.Act(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	for name, value := range reply.Header {
		w.Header().Set(name, value)
	}
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	fmt.Fprint(w, reply.Body)
}

func (e *Engine) reply(r *http.Request) (Reply, bool) {
	what := r.Method + " " + r.URL.Path
	if what == "POST /v1/tools/execute" {
		if len(e.execute) == 0 {
			return Reply{Body: Value(`null`)}, true
		}
		next := e.execute[0]
		if len(e.execute) > 1 {
			e.execute = e.execute[1:]
		}
		return next, true
	}
	reply, ok := e.other[what]
	return reply, ok
}

// Value is the answer of a tool that worked.
func Value(value string) string {
	return `{"id":"te_1","execution_id":"tc_1","execution_type":"immediate","duration":12.5,"finished_at":"2026-11-22T10:00:00Z","status":"success","success":true,"output":{"value":` + value + `}}`
}

// Failed is the answer of a tool that failed.
func Failed(kind, message string) string {
	return `{"id":"te_1","success":false,"status":"failed","output":{"error":{"kind":` + quote(kind) + `,"message":` + quote(message) + `,"can_retry":false,"developer_message":"TRACE"}}}`
}

// NeedsAccount is the answer where a person has to agree first. It carries a token,
// which nobody may show.
func NeedsAccount(status, url string, scopes ...string) string {
	list, _ := json.Marshal(scopes)
	return `{"id":"te_1","success":false,"output":{"authorization":{"id":"au_1","status":` + quote(status) + `,"url":` + quote(url) +
		`,"provider_id":"github","scopes":` + string(list) + `,"user_id":"ada@example.com","context":{"token":"gho_token_of_the_account","user_info":{}}}}}`
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// members are those that the API documents, and whether a body must have them.
var members = map[string]map[string]bool{
	"POST /v1/tools/execute":   {"tool_name": true, "input": false, "user_id": true, "tool_version": false, "run_at": false, "include_error_stacktrace": false},
	"POST /v1/tools/authorize": {"tool_name": true, "user_id": true, "tool_version": false, "next_uri": false},
}

// check holds a request against the documented shapes.
func check(r *http.Request) (Request, []string) {
	got := Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery}
	var wrong []string
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
		add("no bearer key")
	}
	known, posts := members[r.Method+" "+r.URL.Path]
	switch {
	case posts:
		if r.Header.Get("Content-Type") != "application/json" {
			add("content type %q", r.Header.Get("Content-Type"))
		}
		if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 16<<20)).Decode(&got.Body); err != nil {
			add("the body is no object: %v", err)
		}
		for name := range got.Body {
			if _, ok := known[name]; !ok {
				add("the member %q is not documented", name)
			}
		}
		for name, must := range known {
			value, there := got.Body[name]
			if must && !there {
				add("the member %q is missing", name)
			}
			if want := byte('"'); there && name == "input" && value[0] != '{' || there && name != "input" && name != "include_error_stacktrace" && value[0] != want {
				add("the member %q is %.40s", name, value)
			}
		}
	case r.Method == http.MethodGet:
		query(r, add)
	default:
		add("nobody documents this request")
	}
	return got, wrong
}

// parameters of the query, of what is asked by GET.
var parameters = map[string][]string{
	"/v1/tools":       {"toolkit", "limit", "offset", "include_format", "user_id", "include_all_versions", "filter"},
	"/v1/auth/status": {"id", "wait"},
}

func query(r *http.Request, add func(string, ...any)) {
	known, ok := parameters[r.URL.Path]
	if !ok && !strings.HasPrefix(r.URL.Path, "/v1/tools/") {
		add("nobody documents this request")
	}
	for name := range r.URL.Query() {
		found := false
		for _, k := range known {
			found = found || k == name
		}
		if !found {
			add("the parameter %q is not documented", name)
		}
	}
	if r.URL.Path == "/v1/auth/status" && r.URL.Query().Get("id") == "" {
		add("the parameter \"id\" is missing")
	}
}
